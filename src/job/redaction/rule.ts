/** How to tell by its form alone that a text is a secret. */
export interface Rule {
  readonly kind: string;
  /** Texts, in lower case, with one of which it begins: only there the pattern is tried. */
  readonly anchors: readonly string[];
  /** Sticky, tried where an anchor begins. Its group `secret`, where it has one, is the secret. */
  readonly pattern: RegExp;
  /** For what a pattern cannot say. */
  readonly accept?: (secret: string) => boolean;
  /** May the secret go on over the end of a line? */
  readonly manyLines?: true;
}

/**
 * Letters and digits in a mix that no words have: they change three times or more, and once in every ten
 * characters. `clientSecretName2` and `my-app-v2-secret` are none.
 */
export function looksRandom(text: string): boolean {
  const changes = text.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  return changes >= Math.max(3, text.length / 10);
}
