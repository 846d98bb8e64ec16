import * as z from 'zod';
import type { ToolDefinition } from '../../engine/engine.ts';
import { checkVerdict, type GivenVerdict, type Place, placesIn, RUBRIC_VERDICTS } from '../../job/rubric.ts';

const criterion = z.strictObject({ text: z.string(), pass: z.boolean(), evidence: z.string() });

const input = z.strictObject({
  verdict: z.enum(RUBRIC_VERDICTS),
  explanation: z.string(),
  criteria: z.array(criterion),
}) satisfies z.ZodType<GivenVerdict>;

export interface VerdictOptions {
  readonly criteria: readonly string[];
  readonly exists: (place: Place) => Promise<boolean>;
  readonly tested: boolean;
  /** Hears of the first verdict that can be believed in form. */
  readonly accept: (verdict: GivenVerdict) => void;
}

/** The grader's one way to answer. A verdict with something wrong in it goes back with what is wrong. */
export function verdictTool({ criteria, exists, tested, accept }: VerdictOptions): ToolDefinition {
  return {
    name: 'verdict',
    description: 'Your judgement, once: the whole, and every criterion with its evidence.',
    input,
    readOnly: false,
    async run(args) {
      const given = input.parse(args);
      const there = await existing(given, exists);
      const seen = { tested, exists: (place: Place) => there.has(nameOf(place)) };
      const checked = checkVerdict(criteria, given, seen);
      if (checked.ok) {
        accept(checked.verdict);
        return { ok: true, text: 'taken', summary: given.verdict };
      }
      const text = `This verdict cannot be taken:\n${checked.problems.map((each) => `- ${each}`).join('\n')}\nLook again, and call verdict again.`;
      return { ok: false, text, summary: checked.problems[0] ?? 'not taken' };
    },
  };
}

async function existing(
  { criteria }: GivenVerdict,
  exists: (place: Place) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { pass, evidence } of criteria) {
    if (!pass) continue;
    for (const place of placesIn(evidence)) if (await exists(place)) found.add(nameOf(place));
  }
  return found;
}

function nameOf({ path, line }: Place): string {
  return `${line} ${path}`;
}
