import { CARRIAGE_RETURN, LINE_FEED } from './forms.ts';

/** Called for each anchor that stands in the text at `start`; `anchor` is its number. */
export type OnAnchor = (anchor: number, start: number) => void;

interface Node {
  readonly next: Map<number, number>;
  readonly ends: number[];
}

/**
 * Finds many short texts in one pass over a long one, whatever their case and whatever line breaks are in
 * between: the automaton of Aho and Corasick (1975) as a table. A state is the offset of its row, and
 * negative where an anchor ends; so the loop over a long text has one look-up and one comparison.
 */
export class Anchors {
  readonly #lengths: readonly number[];
  /** 0 is a character that is in no anchor, 1 a line break, which leaves every state as it is. */
  readonly #classes = new Uint16Array(65536);
  readonly #width: number;
  readonly #next: Int32Array;
  readonly #depth: Int32Array;
  readonly #ends: readonly (readonly number[])[];

  /** No anchor may be empty or contain a line break. */
  constructor(anchors: readonly string[]) {
    this.#lengths = anchors.map((anchor) => anchor.length);
    this.#width = this.#classify(anchors);
    const nodes = this.#grow(anchors);
    this.#next = new Int32Array(nodes.length * this.#width);
    this.#depth = new Int32Array(nodes.length);
    this.#ends = nodes.map(({ ends }) => ends);
    this.#link(nodes);
    this.#markEnds(nodes);
  }

  /** Calls `found` in the order of the anchors' ends. Returns where an anchor may begin that is not whole yet. */
  scan(text: string, found: OnAnchor): number {
    const next = this.#next;
    const classes = this.#classes;
    const { length } = text;
    let row = 0;
    for (let at = 0; at < length; at += 1) {
      const state = next[row + (classes[text.charCodeAt(at)] ?? 0)] ?? 0;
      row = state < 0 ? -state : state;
      if (state < 0) this.#report(text, at, row, found);
    }
    return row === 0 ? length : back(text, length - 1, this.#depth[row / this.#width] ?? 0);
  }

  #report(text: string, at: number, row: number, found: OnAnchor): void {
    // A line break after an anchor leads to its state once more.
    if (this.#classes[text.charCodeAt(at)] === LINE_BREAK) return;
    for (const anchor of this.#ends[row / this.#width] ?? NONE) {
      found(anchor, back(text, at, this.#lengths[anchor] ?? 0));
    }
  }

  #classify(anchors: readonly string[]): number {
    this.#classes[LINE_FEED] = LINE_BREAK;
    this.#classes[CARRIAGE_RETURN] = LINE_BREAK;
    let count = LINE_BREAK + 1;
    for (const character of new Set(anchors.join('').split(''))) {
      const code = character.charCodeAt(0);
      if (this.#classes[code] !== 0) continue;
      for (const same of bothCases(code)) this.#classes[same] = count;
      count += 1;
    }
    return count;
  }

  #grow(anchors: readonly string[]): Node[] {
    const nodes: Node[] = [{ next: new Map(), ends: [] }];
    for (const [number, anchor] of anchors.entries()) {
      let node = nodes[0];
      for (let at = 0; at < anchor.length; at += 1) {
        const step = this.#classes[anchor.charCodeAt(at)] ?? 0;
        const known = node?.next.get(step);
        if (known === undefined) {
          node?.next.set(step, nodes.length);
          node = { next: new Map(), ends: [] };
          nodes.push(node);
        } else {
          node = nodes[known];
        }
      }
      node?.ends.push(number);
    }
    return nodes;
  }

  /** Breadth first: where a text goes on from a node, by the longest end of it that is a beginning too. */
  #link(nodes: readonly Node[]): void {
    const fail = new Int32Array(nodes.length);
    const queue = [0];
    for (let head = 0; head < queue.length; head += 1) {
      const at = queue[head] ?? 0;
      const node = nodes[at];
      const other = fail[at] ?? 0;
      if (at !== 0) node?.ends.push(...(nodes[other]?.ends ?? NONE));
      for (let step = LINE_BREAK + 1; step < this.#width; step += 1) {
        const child = node?.next.get(step);
        const elsewhere = at === 0 ? 0 : this.#after(other, step);
        this.#set(at, step, child ?? elsewhere);
        if (child === undefined) continue;
        fail[child] = elsewhere;
        this.#depth[child] = (this.#depth[at] ?? 0) + 1;
        queue.push(child);
      }
    }
    for (const at of nodes.keys()) this.#set(at, LINE_BREAK, at);
  }

  /** Only when all are linked it is known where anchors end. */
  #markEnds(nodes: readonly Node[]): void {
    for (let index = 0; index < this.#next.length; index += 1) {
      const row = this.#next[index] ?? 0;
      if ((nodes[row / this.#width]?.ends.length ?? 0) > 0) this.#next[index] = -row;
    }
  }

  #set(node: number, step: number, to: number): void {
    this.#next[node * this.#width + step] = to * this.#width;
  }

  #after(node: number, step: number): number {
    return (this.#next[node * this.#width + step] ?? 0) / this.#width;
  }
}

const LINE_BREAK = 1;
const NONE: readonly number[] = [];

function bothCases(code: number): number[] {
  const character = String.fromCharCode(code);
  return code > 127 ? [code] : [character.toLowerCase(), character.toUpperCase()].map((c) => c.charCodeAt(0));
}

/** Where the last `length` characters up to `end` begin; line breaks do not count. */
function back(text: string, end: number, length: number): number {
  let start = end + 1;
  for (let left = length; left > 0 && start > 0; ) {
    start -= 1;
    const code = text.charCodeAt(start);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) left -= 1;
  }
  return start;
}
