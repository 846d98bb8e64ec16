import { styleText } from 'node:util';

/** Colour only on a terminal, and never against NO_COLOR (https://no-color.org). */
export function style(format: 'bold' | 'cyan' | 'green' | 'red', text: string): string {
  return process.stdout.isTTY === true && !process.env.NO_COLOR ? styleText(format, text) : text;
}
