import { mapStrings } from '../../job/redaction/map-strings.ts';
import type { RunSpec } from '../engine.ts';
import { type AssistantPart, MESSAGE, type Message } from './messages.ts';

export type TranscriptRedactor = NonNullable<RunSpec['conversation']['redactor']>;

/**
 * A message without secrets that can still be sent: the words change, not the form. What a provider wants back
 * as it was, names and signatures, loses only what is known to be a secret, never what looks like one.
 */
export function redactMessage(message: Message, redactor: TranscriptRedactor): Message {
  const text = (value: string): string => redactor.text(value);
  switch (message.role) {
    case 'user':
      return { ...message, content: text(message.content) };
    case 'tool':
      return {
        ...message,
        content: message.content.map((part) => ({
          ...part,
          ...names(part, redactor),
          output: { ...part.output, value: text(part.output.value) },
        })),
      };
    case 'assistant':
      return MESSAGE.parse({
        ...message,
        content: message.content.map((part) => redactPart(part, redactor)),
      });
  }
}

function redactPart(part: AssistantPart, redactor: TranscriptRedactor): unknown {
  const text = (value: string): string => redactor.text(value);
  const known = (value: string): string => redactor.known(value);
  const extra = part.providerOptions && { providerOptions: mapStrings(part.providerOptions, known) };
  if (part.type !== 'tool-call') return { ...part, ...extra, text: text(part.text) };
  return { ...part, ...extra, ...names(part, redactor), input: mapStrings(part.input, text) };
}

function names<Part extends { readonly toolCallId: string; readonly toolName: string }>(
  { toolCallId, toolName }: Part,
  redactor: TranscriptRedactor,
) {
  return { toolCallId: redactor.known(toolCallId), toolName: redactor.known(toolName) };
}
