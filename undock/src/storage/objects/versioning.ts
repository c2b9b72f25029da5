import { z } from 'zod'
import { storageError } from '../errors.ts'

// The published client has options for versions and lifecycles. The CLI's stack has them off and no setting for them, so
// what would need a second version gets upstream's error. Listings accept the options there too: each object has one version.

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

/** Whether a listing asks for versions and markers that don't exist. */
export const listsNothing = ({
  noncurrentVersions,
  deleteMarkers,
}: z.infer<z.ZodObject<typeof listedVersions>>): boolean => noncurrentVersions === 'only' || deleteMarkers === 'only'

/** @throws {StorageError} FeatureNotEnabled */
export const refuseVersion = (): never => refuse('object versioning')

export const refuseLifecycle = async (): Promise<never> => refuse('object lifecycles')

function refuse(feature: string): never {
  throw storageError('FeatureNotEnabled', { message: `The feature ${feature} is not enabled for this resource` })
}
