/** Why a file tool could not do what was asked. */
export const FILE_ERROR_CODES = [
  'workspace_lost',
  'outside',
  'git_folder',
  'never_sent',
  'not_found',
  'is_folder',
  'not_a_file',
  'binary',
  'too_large',
  'not_permitted',
  'no_match',
  'many_matches',
  'no_change',
  'bad_text',
  'bad_pattern',
  'too_slow',
  'ended',
] as const;
export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

/** What a file tool says to the model. An error is an answer too: the model can put most of them right. */
export type FileResult =
  | { readonly ok: true; readonly text: string; readonly summary: string }
  | { readonly ok: false; readonly code: FileErrorCode; readonly text: string; readonly summary: string };

/** Ends a file tool from anywhere inside it; `answer` makes it the tool's result. Never leaves this folder. */
export class Refusal extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

export function done(text: string, summary: string): FileResult {
  return { ok: true, text, summary };
}

/** Runs a tool's work; a refusal and what the system refuses become results, a bug stays a bug. */
export async function answer(asked: string, work: () => Promise<FileResult>): Promise<FileResult> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error, asked);
    if (refusal === null) throw error;
    return { ok: false, code: refusal.code, text: refusal.message, summary: `${asked}: ${refusal.code}` };
  }
}

const SYSTEM: Readonly<Record<string, readonly [FileErrorCode, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: a part of its path is a file'],
  EEXIST: ['not_found', 'cannot be made: a part of its path is a file'],
  EISDIR: ['is_folder', 'is a folder'],
  EACCES: ['not_permitted', 'may not be used: permission denied'],
  EBUSY: ['not_permitted', 'may not be replaced or removed here'],
  EPERM: ['not_permitted', 'may not be used: not permitted'],
  EROFS: ['not_permitted', 'may not be written: the file system is read-only'],
  ENOSPC: ['not_permitted', 'could not be written: the disk is full'],
  EDQUOT: ['not_permitted', 'could not be written: the disk quota is used up'],
  ENAMETOOLONG: ['not_found', 'is too long a name'],
  ELOOP: ['outside', 'became a link while it was used'],
  ENXIO: ['not_a_file', 'is not a regular file'],
};

/** The refusal in an error, ours or the system's; null for a bug. */
export function refusalOf(error: unknown, asked: string): Refusal | null {
  if (error instanceof Refusal) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = SYSTEM[code];
  return known === undefined ? null : new Refusal(known[0], `${asked} ${known[1]}`);
}
