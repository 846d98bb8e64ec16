import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/job/redaction/matcher.ts';
import { createRedactor } from '../../../src/job/redaction/redactor.ts';
import { SAMPLES } from './samples.ts';

const redactor = createRedactor({ values: [] });
const rows = Object.entries(SAMPLES);

/** A sample as it may stand in a file: alone, in a line, in quotes, between others. */
const PLACES: readonly ((sample: string) => string)[] = [
  (sample) => sample,
  (sample) => `first line\n${sample}\nlast line`,
  (sample) => `see ${sample} there`,
];

describe('what looks like a secret', () => {
  it('has samples for every rule', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...new Set(RULES.map(({ kind }) => kind))].sort());
    expect(rows.length).toBeGreaterThanOrEqual(25);
  });

  it.each(rows)('%s is found wherever it stands', (kind, { hits }) => {
    for (const hit of hits) {
      for (const place of PLACES) {
        expect(redactor.text(place(hit)), hit).toContain(`[redacted:${kind}]`);
      }
    }
  });

  it.each(rows)('%s leaves alone what only looks like it', (_kind, { misses }) => {
    for (const miss of misses)
      for (const place of PLACES) expect(redactor.text(place(miss))).toBe(place(miss));
  });

  it('is hidden whole, and only it', () => {
    const line = 'export A_TOKEN="abc123def456" # and on';
    expect(redactor.text(line)).toBe('export A_TOKEN="[redacted:env-secret]" # and on');
    const key = SAMPLES['private-key']?.hits[0] ?? '';
    expect(redactor.text(`a\n${key}\nb`)).toBe('a\n[redacted:private-key]\nb');
  });

  it('stays as it is once it is hidden', () => {
    for (const sample of rows.flatMap(([, { hits }]) => hits)) {
      const once = redactor.text(sample);
      expect(redactor.text(once)).toBe(once);
    }
  });
});

describe('ordinary source', () => {
  const filesIn = (folder: string, wanted: RegExp): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => wanted.test(name))
      .map((name) => join(folder, name));

  it('of this program has nothing that looks like a secret', () => {
    const found = filesIn('src', /\.ts$/).flatMap((path) =>
      redactor.kindsIn(readFileSync(path, 'utf8')).map((kind) => `${path}: ${kind}`),
    );
    expect(found).toEqual([]);
  });

  it('of others has less than one percent of its files touched, in 10 MB of it', () => {
    const packages = [
      'ai',
      'zod',
      'vitest',
      '@types/node',
      'undici-types',
      'execa',
      'yaml',
      'esbuild',
      'vite',
    ];
    const paths = packages.flatMap((name) => filesIn(`node_modules/${name}`, /\.(?:[cm]?[jt]s|md|json)$/));
    let bytes = 0;
    let read = 0;
    const touched: string[] = [];
    for (const path of paths) {
      if (bytes > 10_000_000) break;
      const text = readFileSync(path, 'utf8');
      bytes += text.length;
      read += 1;
      if (redactor.text(text) !== text) touched.push(`${path}: ${redactor.kindsIn(text)}`);
    }
    console.log(
      `${touched.length} of ${read} files (${Math.round(bytes / 1e6)} MB) touched\n${touched.join('\n')}`,
    );
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(touched.length / read).toBeLessThan(0.01);
  });
});
