import { answerJson } from '../job/answer-json.ts';
import type { JobRecord } from '../job/record.ts';
import type { Store } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { readSmallFile } from '../store/small-file.ts';
import { readTask } from '../store/task-file.ts';

/** An answer is shown up to here, and its file named. */
const ANSWER_KEPT = 60_000;
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

export interface AskAnswer {
  /** As it is to be shown; '' when there is none. */
  readonly text: string;
  readonly path: string;
  /** The value, when a schema was asked for and the answer fits it; else null. */
  readonly structured: unknown;
}

/** What an ask's model answered. `whole`: however long it is. */
export function readAnswer(store: Store, record: JobRecord, whole: boolean): AskAnswer {
  const paths = runPaths(store, record.id);
  const file = readSmallFile(paths.answer, ANSWER_MAX_BYTES);
  const text = file.kind === 'ok' ? file.text : '';
  const cut = !whole && text.length > ANSWER_KEPT;
  const shown = cut ? `${text.slice(0, ANSWER_KEPT)}\n[cut; the whole is in ${paths.answer}]` : text;
  const task = readTask(paths.task);
  const fits =
    record.state === 'succeeded' && task.kind === 'ok' && (task.value.ask?.schema ?? null) !== null;
  const parsed = fits ? answerJson(text) : null;
  return { text: shown, path: paths.answer, structured: parsed?.ok ? parsed.value : null };
}
