import { createRedactor, type Redactor } from './redactor.ts';

/** What looks like a secret in lines that a patch adds. */
export interface SecretLike {
  /** As git prints it, `/dev/null` never. */
  readonly path: string;
  readonly kind: string;
}

/** Does a patch add something that looks like a secret, or one that is known? Lines without their `+`. */
export function secretLike(
  addedLines: Iterable<string>,
  redactor: Pick<Redactor, 'kindsIn'> = createRedactor({ values: [] }),
): boolean {
  return redactor.kindsIn([...addedLines].join('\n')).length > 0;
}

/**
 * Reads a patch of git piece by piece, Latin-1, and tells what in its added lines looks like a secret: once a
 * file and kind. A file's lines are looked at together, for a key may take many.
 */
export class PatchSecrets {
  readonly #redactor: Pick<Redactor, 'kindsIn'>;
  readonly #found = new Map<string, SecretLike>();
  #rest = '';
  #path = '';
  #added: string[] = [];
  #addedLength = 0;

  constructor(redactor: Pick<Redactor, 'kindsIn'>) {
    this.#redactor = redactor;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    // A line of a binary patch, or of a file that has no lines.
    if (this.#rest.length > LONGEST) this.#rest = this.#rest.slice(0, LONGEST);
    for (const line of lines) this.#take(line);
  }

  end(): SecretLike[] {
    this.#take(this.#rest);
    this.#judge();
    return [...this.#found.values()];
  }

  #take(line: string): void {
    if (line.startsWith('diff --git ')) {
      this.#judge();
      this.#path = '';
    } else if (this.#path === '' && line.startsWith('+++ ')) {
      this.#path = line.slice(4).replace(/^("?)b\//, '$1');
    } else if (line.startsWith('+') && this.#path !== '') {
      this.#added.push(line.slice(1));
      this.#addedLength += line.length;
      if (this.#addedLength > LONGEST) this.#judge();
    }
  }

  #judge(): void {
    for (const kind of this.#redactor.kindsIn(this.#added.join('\n'))) {
      this.#found.set(`${kind} ${this.#path}`, { path: this.#path, kind });
    }
    this.#added = [];
    this.#addedLength = 0;
  }
}

const LONGEST = 1_000_000;
