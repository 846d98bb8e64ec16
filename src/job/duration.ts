const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `90`, `90s`, `30m`, `2h`, `1.5h`; null for anything else. A bare number is seconds. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) return null;
  const unit = UNITS[match[2] ?? 's'];
  return unit === undefined ? null : Number(match[1]) * unit;
}
