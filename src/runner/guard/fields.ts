const MAX_FIELDS = 100;
const MAX_LENGTH = 20_000;

/** The fields of one word, as they grow part by part; bounded in number and in length. */
export class Fields {
  readonly #done: string[] = [];
  #open: string[] = [''];
  #any = false;

  /** Text goes to the field that is open; an empty one counts only when it was quoted. */
  add(text: string, counts: boolean): void {
    this.#any ||= counts || text !== '';
    this.#open = this.#open.map((open) => (open.length > MAX_LENGTH ? open : open + text));
  }

  /** Several fields: the first ends the open one, the last stays open. */
  split(texts: readonly string[]): void {
    for (const [index, text] of texts.slice(0, MAX_FIELDS).entries()) {
      if (index > 0) this.#close();
      this.add(text, false);
    }
  }

  alternatives(texts: readonly string[]): void {
    this.#any = true;
    this.#open = this.#open.flatMap((open) => texts.map((text) => open + text)).slice(0, MAX_FIELDS);
  }

  all(): string[] {
    return this.#any ? [...this.#done, ...this.#open] : this.#done;
  }

  #close(): void {
    if (this.#any && this.#done.length < MAX_FIELDS) this.#done.push(...this.#open);
    this.#open = [''];
    this.#any = false;
  }
}
