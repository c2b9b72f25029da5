import { DatabaseError } from 'pg-protocol'
import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

// Codes, statuses, texts and the `error` field of storage-api (src/internal/errors/codes.ts).
const CATALOGUE = {
  NoSuchBucket: [404, 'Bucket not found', 'Bucket not found'],
  NoSuchKey: [404, 'Object not found', 'not_found'],
  NoSuchUpload: [404, 'Upload not found'],
  MalformedXML: [400, 'Invalid XML payload'],
  SignatureDoesNotMatch: [403, 'Signature does not match'],
  MissingContentLength: [400, 'You must provide the Content-Length HTTP header.'],
  MissingParameter: [400, 'Missing Required Parameter'],
  MissingPart: [400, 'A part is missing'],
  InvalidChecksum: [400, 'The checksum you specified did not match what we received'],
  // S3's own codes, where upstream forwards its S3 store's answer.
  InvalidPart: [
    400,
    'One or more of the specified parts could not be found. The part may not have been uploaded, ' +
      "or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  EntityTooSmall: [400, 'The object is smaller than the minimum allowed size'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  AuthorizationQueryParametersError: [
    400,
    'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, ' +
      'X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  ],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  NotImplemented: [501, 'A header or query you provided implies functionality that is not implemented'],
  AccessDenied: [403, 'Access denied', 'Unauthorized'],
  ResourceAlreadyExists: [409, 'The resource already exists', 'Duplicate'],
  KeyAlreadyExists: [409, 'The resource already exists', 'Duplicate'],
  BucketAlreadyExists: [409, 'The resource already exists', 'Duplicate'],
  ResourceNotEmpty: [409, 'The bucket you tried to delete is not empty'],
  ResourceReferenced: [409, 'The resource could not be updated or removed due to a foreign key constraint'],
  ResourceLocked: [423, 'The resource is locked'],
  EntityTooLarge: [413, 'The object exceeded the maximum allowed size', 'Payload too large'],
  InvalidMimeType: [415, 'mime type is not supported', 'invalid_mime_type'],
  InvalidBucketName: [400, 'Bucket name invalid', 'Invalid Input'],
  InvalidKey: [400, 'Invalid key'],
  InvalidRange: [416, 'invalid range provided', 'invalid_range'],
  InvalidJWT: [400, 'Invalid JWT'],
  InvalidSignature: [400, 'Invalid signature'],
  ExpiredToken: [400, 'The provided token has expired.'],
  InvalidUploadId: [400, 'Invalid upload id'],
  InvalidParameter: [400, 'Invalid Parameter'],
  InvalidRequest: [400, 'Invalid Request'],
  ConflictException: [409, 'The resource already exists'],
  NotFoundException: [404, 'The resource was not found'],
  VectorBucketNotEmpty: [400, 'The vector bucket is not empty'],
  S3VectorMaxBucketsExceeded: [400, 'Maximum number of buckets exceeded'],
  S3VectorMaxIndexesExceeded: [400, 'Maximum number of indexes exceeded'],
  FeatureNotEnabled: [409, 'The feature is not enabled for this resource'],
  DatabaseTimeout: [544, 'The connection to the database timed out'],
  DatabaseReadOnly: [503, 'The database is currently in read-only mode. Please try again later.'],
  DatabaseSchemaMismatch: [503, 'The database schema is out of sync. Please run migrations or contact support.'],
  DatabaseInvalidObjectDefinition: [503, 'The database schema is invalid or incompatible.'],
  DatabaseError: [500, 'database error'],
  DatabaseUnavailable: [503, 'The database is restarting. Please try again in a moment.'],
  InsufficientStorage: [507, 'No space is left on the disk that holds the stored files'],
  StorageReadOnly: [503, 'The folder that holds the stored files cannot be written'],
  S3Error: [500, 'The store that holds the files failed'],
  ServiceUnavailable: [503, 'Images cannot be transformed on this machine'],
  SlowDown: [429, 'Too many requests are being rendered, try again in a moment'],
  InternalError: [500, 'Internal Server Error'],
} as const satisfies Record<string, Entry>

/** `error` is the code by default. */
type Entry = readonly [status: number, message: string, error?: string]

export type StorageErrorCode = keyof typeof CATALOGUE

export type StorageErrorOptions = ServiceErrorOptions & {
  message?: string
  error?: string
  /** The response's status if it isn't the usual 400. */
  httpStatus?: number
}

/** An error with two statuses: `status` is what happened (the body's `statusCode`, and the status of TUS and S3
 *  responses), `httpStatus` is that of REST responses: 400 for everything but 500, as clients expect. */
export class StorageError extends ServiceError {
  declare readonly code: StorageErrorCode
  readonly error: string
  readonly httpStatus: number

  constructor(code: StorageErrorCode, options: StorageErrorOptions = {}) {
    const [status, message, error = code]: Entry = CATALOGUE[code]
    super(code, status, options.message ?? message, options)
    this.error = options.error ?? error
    this.httpStatus = options.httpStatus ?? (status === 500 ? 500 : 400)
  }
}

/** Codes that keep their status in REST responses: ranges because HTTP requires it, others aren't the client's fault. */
const KEEPING_THEIR_STATUS = new Set<StorageErrorCode>([
  'InvalidRange',
  'DatabaseTimeout',
  'DatabaseUnavailable',
  'InsufficientStorage',
  'StorageReadOnly',
])

export function storageError(code: StorageErrorCode, options: StorageErrorOptions = {}): StorageError {
  const [status] = CATALOGUE[code]
  return new StorageError(code, KEEPING_THEIR_STATUS.has(code) ? { httpStatus: status, ...options } : options)
}

export const invalidRequest = (message: string, error?: string) =>
  storageError('InvalidRequest', error === undefined ? { message } : { message, error })

/** Converts a database error to a client's; returns anything else unchanged. @see storage-api
 *  src/storage/database/errors.ts */
export function fromDatabase(cause: unknown): unknown {
  if (!(cause instanceof DatabaseError)) return cause
  switch (cause.code) {
    case '42501':
      return storageError('AccessDenied', {
        cause,
        message: cause.message.includes('row-level security')
          ? 'new row violates row-level security policy'
          : cause.message,
      })
    // The token's role is unknown; upstream answers 500.
    case '22023':
      return /^role ".*" does not exist$/s.test(cause.message)
        ? storageError('AccessDenied', { cause, message: cause.message })
        : storageError('DatabaseError', { cause, message: `database error, code: ${cause.code}` })
    case '23505':
      return storageError('ResourceAlreadyExists', { cause })
    case '23503':
      if (!cause.detail?.includes('is still referenced from table')) {
        return storageError('InvalidRequest', { cause, message: 'The related resource does not exist' })
      }
      return storageError('ResourceReferenced', {
        cause,
        ...(cause.constraint?.startsWith('s3_multipart_uploads') && {
          message: 'The bucket could not be updated because it is referenced by a pending multipart upload.',
        }),
      })
    case '55P03':
      return storageError('ResourceLocked', { cause })
    case '57014':
      return storageError('DatabaseTimeout', { cause })
    case '53100':
      return storageError('InsufficientStorage', {
        cause,
        message: 'No space is left on the disk that holds the database',
      })
    case '57P01':
    case '57P02':
    case '57P03':
      return storageError('DatabaseUnavailable', { cause })
    case '25006':
      return storageError('DatabaseReadOnly', { cause })
    case '42P17':
      return storageError('DatabaseInvalidObjectDefinition', { cause })
    case '22P02':
    // A NUL, as text or inside JSON, which Postgres can't store.
    case '22021':
    case '22P05':
      return storageError('InvalidParameter', { cause, message: cause.message })
    case '42703':
    case '42P01':
      return storageError('DatabaseSchemaMismatch', {
        cause,
        ...(cause.where && {
          message: `There is a database schema mismatch in a trigger or RLS policy: ${cause.where}`,
        }),
      })
    default:
      return storageError('DatabaseError', { cause, message: `database error, code: ${cause.code}` })
  }
}

const DISK_FAULTS: Readonly<Record<string, StorageErrorCode>> = {
  ENOSPC: 'InsufficientStorage',
  EDQUOT: 'InsufficientStorage',
  EROFS: 'StorageReadOnly',
  EACCES: 'StorageReadOnly',
  EPERM: 'StorageReadOnly',
}

/** Converts a database or disk error to a client's; returns anything else unchanged. */
export function fromSystem(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? DISK_FAULTS[String(error.code)] : undefined
  return code === undefined ? fromDatabase(error) : storageError(code, { cause: error })
}

export type ErrorBody = { statusCode: string; error: string; message: string; code: string }

export const errorBody = (error: StorageError): ErrorBody => ({
  statusCode: String(error.status),
  error: error.error,
  message: error.message,
  code: error.code,
})
