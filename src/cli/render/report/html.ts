import { stripControls } from '../../../job/format.ts';

/** Markup that may stand in a page: made by `html` alone, so that every text in it has been escaped. */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  static of(strings: readonly string[], values: readonly Value[]): Html {
    return new Html(strings.map((text, at) => text + markupOf(values[at])).join(''));
  }

  toString(): string {
    return this.#markup;
  }
}

/** Texts and numbers are escaped; lists are joined; null and false are nothing. */
export type Value = Html | string | number | null | undefined | false | readonly Value[];

/** A template whose values are escaped. Attributes have to stand in double quotes. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return Html.of(strings, values);
}

function markupOf(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Neither markup nor a character that turns the reading direction or hides text is left. */
function escaped(text: string): string {
  return stripControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
