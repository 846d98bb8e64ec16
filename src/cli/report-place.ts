import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { errorCode } from '../store/storage-error.ts';
import { usage } from './parse.ts';
import { REPORT_START } from './render/report/page.ts';

export interface PlaceQuestion {
  /** As it was typed. */
  readonly out: string;
  readonly cwd: string;
  /** A model calls, and the person has not said yes to this place. */
  readonly isBound: boolean;
  /** Folders of the repository: below them a model may write. */
  readonly allowed: readonly string[];
}

/**
 * Where `--out` leads, with no link on the way. Only `.html`, and never over a file that is no report of ours. A model
 * reaches no place outside of the repository by a link or another directory either. Throws UserError: exit 2, 5, or 6.
 */
export function reportPlace({ out, cwd, isBound, allowed }: PlaceQuestion): string {
  if (!/.\.html?$/i.test(out)) throw usage('a report is a web page', out, 'name a file that ends in .html');
  const folder = realFolder(dirname(resolve(cwd, out)));
  const place = join(folder, basename(out));
  if (isBound && !allowed.some((each) => isBelow(folder, each))) throw outside(place);
  if (!isFree(place)) throw taken(place);
  return place;
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw new UserError({
      code: 'no_folder',
      what: 'the folder for the report is not there',
      value: folder,
      remedy: 'make it, or name another one',
      exit: EXIT.environment,
    });
  }
}

function isBelow(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(top.endsWith(sep) ? top : top + sep);
}

/** Nothing there, or an older report. */
function isFree(place: string): boolean {
  try {
    const file = openSync(place, 'r');
    try {
      const start = Buffer.alloc(REPORT_START.length);
      readSync(file, start, 0, start.length, 0);
      return start.toString('utf8') === REPORT_START;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // A folder, or what cannot be read, is no report.
    return errorCode(error) === 'ENOENT';
  }
}

function outside(place: string): UserError {
  return new UserError({
    code: 'needs_the_user',
    what: 'that is outside of the repository, where a model may not write',
    value: place,
    remedy: 'leave --out away, or name a file in the repository',
    exit: EXIT.refused,
  });
}

function taken(place: string): UserError {
  return new UserError({
    code: 'file_exists',
    what: 'there is a file of this name that is no report',
    value: place,
    remedy: 'name another one; nothing was changed',
    exit: EXIT.usage,
  });
}
