import { FetchError, importPart } from '../../platform/fetched-package.ts'
import { storageError } from '../errors.ts'

export type SharpModule = typeof import('sharp').default

/** Loads sharp with the first image: most stacks never render one. @throws {StorageError} ServiceUnavailable */
export async function loadSharp(tell: () => void): Promise<SharpModule> {
  try {
    return (await importPart('sharp', () => import('sharp'), tell)).default
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause
    throw storageError('ServiceUnavailable', {
      message: `Images are transformed by the package sharp: ${cause.message}`,
      cause,
    })
  }
}
