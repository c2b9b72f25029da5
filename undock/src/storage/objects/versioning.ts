import { z } from 'zod'
import { storageError } from '../errors.ts'

// Versions of objects and the lifecycle of buckets, for which the published client has options. The tables have their
// columns, but nothing here keeps versions. Answering with the current object would be wrong, so requests that ask for
// versions are refused with the words that upstream has while the feature is switched off.

export const VersioningStatus = z.enum(['DISABLED', 'ENABLED', 'SUSPENDED']).optional()

const which = z.enum(['exclude', 'include', 'only']).optional()
export const listedVersions = { noncurrentVersions: which, deleteMarkers: which, exactMatch: z.boolean().optional() }

/** @throws {StorageError} FeatureNotEnabled */
export function checkVersioningStatus(status: z.infer<typeof VersioningStatus>): void {
  if (status === 'ENABLED' || status === 'SUSPENDED') refuseVersion()
}

/** @param versionId What names a version in a query or body, if anything does.
 *  @throws {StorageError} FeatureNotEnabled */
export function checkNoVersion(versionId: unknown): void {
  if (versionId !== undefined && versionId !== null) refuseVersion()
}

type Listed = z.infer<z.ZodObject<typeof listedVersions>>

/** @throws {StorageError} FeatureNotEnabled */
export function checkListedVersions({ noncurrentVersions, deleteMarkers, exactMatch }: Listed): void {
  const isDefault = [noncurrentVersions, deleteMarkers].every((choice) => choice === undefined || choice === 'exclude')
  if (!isDefault || exactMatch) refuse('object versioning schema')
}

/** @throws {StorageError} FeatureNotEnabled */
export const refuseVersion = (): never => refuse('object versioning')

export const refuseLifecycle = async (): Promise<never> => refuse('object lifecycles')

function refuse(feature: string): never {
  throw storageError('FeatureNotEnabled', { message: `The feature ${feature} is not enabled for this resource` })
}
