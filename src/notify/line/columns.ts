// Wide in a terminal (Unicode TR11, W and F), and emoji that are shown as pictures. Half-width kana are taken as wide
// too: a line that is a little short does no harm.
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Tangut}\p{Script=Bopomofo}\u2e80-\u303e\u3200-\u33ff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Asks for the picture of a character that is also a text sign. */
const AS_PICTURE = '\ufe0f';

/** How many columns a text without control characters takes on a terminal. */
export function columnsOf(text: string): number {
  return clusters(text).reduce((sum, cluster) => sum + clusterColumns(cluster), 0);
}

/** At most `width` columns of a text; the cut is marked by the last character, never in the middle of one. */
export function cutToColumns(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const cluster of clusters(text)) {
    left -= clusterColumns(cluster);
    if (left < 0) break;
    kept += cluster;
  }
  return width < 1 ? '' : `${kept.trimEnd()}…`;
}

function clusterColumns(cluster: string): number {
  const characters = [...cluster];
  if (cluster.includes(AS_PICTURE)) return 2;
  return characters.reduce((sum, character) => sum + characterColumns(character), 0);
}

function characterColumns(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

// What makes one character of several: marks, joiners, flags, skin tones, Hangul in parts.
const JOINING =
  /[\p{M}\p{Cf}\p{Regional_Indicator}\p{Emoji_Modifier}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\r]/u;
let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character. */
function clusters(text: string): string[] {
  // Nearly every text is without, and to segment one costs more than the rest of a line.
  if (!JOINING.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}
