import * as z from 'zod';
import type { ToolDefinition } from '../../engine/engine.ts';
import { trimLine } from '../../job/format.ts';
import type { Questions } from '../questions.ts';

const question = z.strictObject({ question: z.string().min(1), context: z.string().optional() });
const progress = z.strictObject({ update: z.string().min(1) });
const blocker = z.strictObject({ problem: z.string().min(1), attempts: z.string().optional() });

/** The worker's three ways to speak to its supervisor. A question and a blocker wait for the answer. */
export function supervisorTools(questions: Questions, note: (text: string) => void): ToolDefinition[] {
  return [
    {
      name: 'ask_supervisor',
      description: 'Ask the supervisor and wait for the answer.',
      input: question,
      readOnly: false,
      async run(args, { signal }) {
        const { question: message, context } = question.parse(args);
        const answer = await questions.ask(
          { kind: 'question', message, context: context ?? null, attempts: null },
          signal,
        );
        return { ok: true, text: answer, summary: `asked: ${trimLine(message, 80)}` };
      },
    },
    {
      name: 'report_blocker',
      description: 'Report that you are stuck, and wait for advice.',
      input: blocker,
      readOnly: false,
      async run(args, { signal }) {
        const { problem, attempts } = blocker.parse(args);
        const answer = await questions.ask(
          { kind: 'blocker', message: problem, context: null, attempts: attempts ?? null },
          signal,
        );
        return { ok: true, text: answer, summary: `blocked: ${trimLine(problem, 80)}` };
      },
    },
    {
      name: 'report_progress',
      description: 'Tell the supervisor in one line what you do now.',
      input: progress,
      readOnly: true,
      async run(args) {
        const { update } = progress.parse(args);
        note(update);
        return { ok: true, text: 'noted', summary: trimLine(update, 80) };
      },
    },
  ];
}
