import { NEWS_HOOKS } from './news-hooks.ts';
import { answerClient } from './run.ts';

process.exitCode = answerClient(NEWS_HOOKS);
