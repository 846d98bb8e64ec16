/** A map of names to places, as tsconfig's `paths` and package.json's `imports` are. */
export type Aliases = Readonly<Record<string, unknown>>;

const RUNNERS =
  /^(\*|node:.*|bun:test|assert|test|fs|path|process|module|vitest|jest|mocha|chai|expect|ava|tape?|uvu|sinon|should|supertest|@jest\/.*|@vitest\/.*|@playwright\/.*|@testing-library\/.*)$/;

/**
 * The worker's aliases, without those that give a new meaning to a name that had one: the base's entries as they
 * were, and of the new ones those that stand neither for a runner or a module of the language nor within a
 * pattern of the base.
 */
export function keptAliases(base: Aliases, work: Aliases): Aliases {
  const added = Object.entries(work).filter(([name]) => !Object.hasOwn(base, name));
  const harmless = added.filter(
    ([name]) => !RUNNERS.test(name.replace(/(?<=.)\/\*$/, '')) && !isWithin(name, base),
  );
  return { ...base, ...Object.fromEntries(harmless) };
}

function isWithin(name: string, base: Aliases): boolean {
  return Object.keys(base).some((pattern) => {
    const at = pattern.indexOf('*');
    return at !== -1 && name.startsWith(pattern.slice(0, at)) && name.endsWith(pattern.slice(at + 1));
  });
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** null for what is no JSON object. Comments and trailing commas, as tsconfig has them, are taken. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  for (const candidate of [text, withoutComments(text)]) {
    try {
      const value: unknown = JSON.parse(candidate);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
    } catch {
      // Perhaps the second form is JSON.
    }
  }
  return null;
}

/** What is opened and never closed ends with the text, so that it is not looked for from each opening again. */
function withoutComments(text: string): string {
  const plain = text.replace(
    /("(?:[^"\\]|\\(?:[\s\S]|$))*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (_, quoted?: string) => quoted ?? '',
  );
  return plain.replace(
    /("(?:[^"\\]|\\(?:[\s\S]|$))*(?:"|$))|,(\s*[}\]])/g,
    (_, quoted?: string, end?: string) => quoted ?? end ?? '',
  );
}

/** Equal as JSON, whatever the order of keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return `${JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )}`;
}
