import { z } from 'zod'
import { storageError } from '../errors.ts'

// The published client has options for versions and lifecycles, but nothing keeps versions here. Answering with the
// current object would be wrong, so such requests get upstream's error for the disabled feature.

export const VersioningStatus = z.enum(['DISABLED', 'ENABLED', 'SUSPENDED']).optional()

const which = z.enum(['exclude', 'include', 'only']).optional()
export const listedVersions = { noncurrentVersions: which, deleteMarkers: which, exactMatch: z.boolean().optional() }

/** @throws {StorageError} FeatureNotEnabled */
export function checkVersioningStatus(status: z.infer<typeof VersioningStatus>): void {
  if (status === 'ENABLED' || status === 'SUSPENDED') refuseVersion()
}

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
