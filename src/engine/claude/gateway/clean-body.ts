type Clean = (text: string) => string;

/**
 * System prompt or messages with every text of theirs cleaned. What the protocol itself reads stays as it is: ids and
 * types of blocks, what is encoded, and thoughts with their signature, which holds for these very words.
 */
export function cleanContent(content: unknown, clean: Clean): unknown {
  if (Array.isArray(content)) return content.map((block) => cleanBlock(block, clean));
  return cleanAll(content, clean);
}

const IDS: readonly string[] = ['type', 'id', 'tool_use_id', 'name'];

function cleanBlock(block: unknown, clean: Clean): unknown {
  if (!isObject(block)) return cleanAll(block, clean);
  const { type } = block;
  if (type === 'thinking' || type === 'redacted_thinking') return block;
  const fields = Object.entries(block).map(([name, value]) => {
    if (IDS.includes(name)) return [name, value];
    if (name === 'content') return [name, cleanContent(value, clean)];
    if (name === 'source' && isObject(value) && value.type === 'base64') return [name, value];
    return [name, cleanAll(value, clean)];
  });
  return Object.fromEntries(fields);
}

/** Arguments of calls above all: the worker's own words, whatever their fields are called. */
function cleanAll(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanAll(each, clean));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanAll(each, clean)]));
}

/** A JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
