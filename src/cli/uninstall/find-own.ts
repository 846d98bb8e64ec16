import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryOwner } from '../../store/atomic-file.ts';
import { namesIn } from '../../store/folders.ts';
import { readSmallFile } from '../../store/small-file.ts';
import type { Form } from './own-forms.ts';

/** What was found of us in a folder, each as its whole path. */
export interface Own {
  /** In short, for the person: a folder that is wholly ours stands for what is in it. */
  readonly shown: readonly string[];
  readonly files: readonly string[];
  /** Folders of ours, an inner one before the one around it; those with something else in them stay by themselves. */
  readonly folders: readonly string[];
  /** Folders of our names that hold something that is not of our form. */
  readonly shared: readonly string[];
}

const HOLDS_MAX_BYTES = 1 << 20;

/** Looks for what is of these forms in a folder that is not ours itself. Throws UserError `storage`. */
export function findOwn(folder: string, forms: readonly Form[]): Own {
  const found = namesIn(folder)
    .sort()
    .flatMap((name) => {
      const form = forms.find((each) => each.name(name));
      return form === undefined ? [] : [look(join(folder, name), form)];
    });
  return together(found.filter((own) => own !== null));
}

/** What is ours at this path; null where it is nothing of this form. */
function look(path: string, form: Form): Own | null {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (form.kind === 'file') {
    const isOurs = status?.isFile() === true && (form.holds === null || form.holds(textOf(path)));
    return isOurs ? { shown: [path], files: [path], folders: [], shared: [] } : null;
  }
  if (status?.isDirectory() !== true) return null;
  const inside = namesIn(path).map((name) => lookInside(path, name, form.forms));
  const isShared = inside.some((own) => own === null || own.shared.length > 0);
  const own = together(inside.filter((each) => each !== null));
  return {
    ...own,
    shown: isShared ? own.shown : [path],
    folders: [...own.folders, path],
    shared: isShared ? [...own.shared, path] : [],
  };
}

function lookInside(folder: string, name: string, forms: readonly Form[]): Own | null {
  const path = join(folder, name);
  if (temporaryOwner(name) !== null && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
    return { shown: [path], files: [path], folders: [], shared: [] };
  const found = forms.filter((form) => form.name(name)).map((form) => look(path, form));
  return found.find((own) => own !== null) ?? null;
}

function together(parts: readonly Own[]): Own {
  return {
    shown: parts.flatMap(({ shown }) => shown),
    files: parts.flatMap(({ files }) => files),
    folders: parts.flatMap(({ folders }) => folders),
    shared: parts.flatMap(({ shared }) => shared),
  };
}

function textOf(path: string): string {
  const read = readSmallFile(path, HOLDS_MAX_BYTES);
  // What cannot be read as text is of no form of ours.
  return read.kind === 'ok' ? read.text : '\0';
}
