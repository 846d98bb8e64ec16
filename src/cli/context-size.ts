import type { ModelResolution } from '../provider/resolve-model.ts';
import { usage } from './parse.ts';

/** As the engine estimates, and from where on it would sum up what came before: that must never be the question. */
const CHARACTERS_A_TOKEN = 4;
const ASSUMED_WINDOW = 128_000;
const ROOM = 0.75;

/** Throws UserError (exit 2) for a question that leaves the model no room: it is refused, never cut. */
export function refuseTooLong(prompt: string, model: Pick<ModelResolution, 'name' | 'primary'>): void {
  const window = model.primary.endpoint.contextWindow ?? ASSUMED_WINDOW;
  const tokens = Math.ceil(prompt.length / CHARACTERS_A_TOKEN);
  if (tokens <= window * ROOM) return;
  throw usage(
    `the question and its files are too long for ${model.name}: about ${tokens.toLocaleString('en-US')} tokens, of a context of ${window.toLocaleString('en-US')}`,
    '',
    'give fewer or smaller files, or a model with a larger context',
  );
}
