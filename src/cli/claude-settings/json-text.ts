/** A value in a JSON text, and where it stands there. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Place {
  readonly key: string;
  readonly value: Node;
}

export type Node = Place &
  (
    | { readonly kind: 'object'; readonly members: readonly Member[] }
    | { readonly kind: 'array'; readonly items: readonly Node[] }
    | { readonly kind: 'plain' }
  );

/** Where everything stands in a text that JSON.parse has taken. */
export function placesOf(text: string): Node {
  return new Scanner(text).value();
}

/** The last member of this name: the one that counts for JSON.parse. */
export function memberOf(node: Node, key: string): Member | undefined {
  return node.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Node {
    this.#space();
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') return { kind: 'object', members: this.#members(), start, end: this.#at };
    if (first === '[') return { kind: 'array', items: this.#items(), start, end: this.#at };
    this.#plain();
    return { kind: 'plain', start, end: this.#at };
  }

  #members(): Member[] {
    const members: Member[] = [];
    this.#at += 1;
    while (!this.#closes('}')) {
      const start = this.#at;
      this.#plain();
      const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
      this.#space();
      this.#at += 1;
      const value = this.value();
      members.push({ key: String(key), value, start, end: value.end });
    }
    return members;
  }

  #items(): Node[] {
    const items: Node[] = [];
    this.#at += 1;
    while (!this.#closes(']')) items.push(this.value());
    return items;
  }

  /** Passes white space and a comma; true when it has passed the end as well. */
  #closes(end: string): boolean {
    this.#space();
    if (this.#text[this.#at] === ',') {
      this.#at += 1;
      this.#space();
    }
    if (this.#at < this.#text.length && this.#text[this.#at] !== end) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    this.#pass(/[ \t\r\n]*/y);
  }

  #plain(): void {
    this.#pass(this.#text[this.#at] === '"' ? /"(?:[^"\\]|\\.)*"/y : /[^,\]}\s]*/y);
  }

  #pass(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }
}
