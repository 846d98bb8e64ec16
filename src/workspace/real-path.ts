import { realpathSync } from 'node:fs';
import { errorCode } from '../store/storage-error.ts';

/** An absolute path with every link followed; null where there is nothing, or nothing that can be reached. */
export function realPathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}
