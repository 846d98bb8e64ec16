import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { parseJson } from '../../job/json.ts';

/** The client gives up on a hook after so many seconds; the hook itself says no long before. */
const HOOK_SECONDS = 60;

const SETTINGS = z.strictObject({
  disableAllHooks: z.literal(false),
  includeCoAuthoredBy: z.literal(false),
  useAutoModeDuringPlan: z.literal(false),
  hooks: z.strictObject({
    PreToolUse: z.tuple([
      z.strictObject({
        matcher: z.literal('Bash'),
        hooks: z.tuple([
          z.strictObject({
            type: z.literal('command'),
            command: z.string().startsWith('/'),
            args: z.array(z.string().min(1)).min(1),
            timeout: z.number().positive(),
          }),
        ]),
      }),
    ]),
  }),
});

/** What the guard's hook is started with. Milliseconds. */
export interface HookCall {
  readonly node: string;
  readonly inside: string;
  readonly longestCommandMs: number;
  readonly answerMs: number;
}

/**
 * The settings the client is started with: every command of its shell is shown to the guard first. Only exit code 2
 * of a hook means no to the client, every other failure means yes; so a shell turns whatever goes wrong into a 2.
 */
export function guardSettings({ node, inside, longestCommandMs, answerMs }: HookCall): string {
  const settings: z.infer<typeof SETTINGS> = {
    // Said, because a project's own settings could say otherwise.
    disableAllHooks: false,
    includeCoAuthoredBy: false,
    // Else a plan has a model judge every command, which costs requests and fails where a cheap one is asked (2.1.332).
    useAutoModeDuringPlan: false,
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'command',
              command: '/bin/sh',
              args: [
                ...['-c', '"$@" || exit 2', 'sh', node, inside, 'hook'],
                ...[String(longestCommandMs), String(answerMs)],
              ],
              timeout: HOOK_SECONDS,
            },
          ],
        },
      ],
    },
  };
  return `${JSON.stringify(SETTINGS.parse(settings), null, 2)}\n`;
}

/**
 * What is wrong with the settings file, or null. A file the client cannot read means no guard at all, and the client
 * goes on without a word: so it is read again before each start, and has to be what was written, byte for byte.
 */
export function settingsProblem(file: string, wanted: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `the settings of the guard cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const parsed = SETTINGS.safeParse(parseJson(text));
  if (!parsed.success) return `the settings of the guard are no settings: ${file}`;
  return text === wanted ? null : `the settings of the guard are not what was written: ${file}`;
}
