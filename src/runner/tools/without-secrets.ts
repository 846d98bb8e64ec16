import type { ToolDefinition } from '../../engine/engine.ts';
import type { Redactor } from '../../job/redaction/redactor.ts';

/**
 * The tool, with keys and credentials of model endpoints taken out of its results: they have no business in a
 * request to any provider. What the user passed to the worker on purpose stays, since the worker may need it;
 * so does what only looks like a secret, since it may be the work.
 */
export function withoutSecrets(tool: ToolDefinition, redactor: Pick<Redactor, 'known'>): ToolDefinition {
  return {
    ...tool,
    async run(args, context) {
      const { ok, text, summary } = await tool.run(args, context);
      return { ok, text: redactor.known(text), summary: redactor.known(summary) };
    },
  };
}
