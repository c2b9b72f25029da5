import { ServiceError, type ServiceErrorOptions } from '../kernel/service-error.ts'

// Codes, statuses, the `error` field and texts of storage-api (src/internal/errors/codes.ts).
const CATALOGUE = {
  NoSuchBucket: [404, 'Bucket not found', 'Bucket not found'],
  NoSuchKey: [404, 'not_found', 'Object not found'],
  NoSuchUpload: [404, 'NoSuchUpload', 'Upload not found'],
  MalformedXML: [400, 'MalformedXML', 'Invalid XML payload'],
  SignatureDoesNotMatch: [403, 'SignatureDoesNotMatch', 'Signature does not match'],
  MissingContentLength: [400, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
  MissingParameter: [400, 'MissingParameter', 'Missing Required Parameter'],
  MissingPart: [400, 'MissingPart', 'A part is missing'],
  InvalidChecksum: [400, 'InvalidChecksum', 'The checksum you specified did not match what we received'],
  // S3's own codes, where upstream forwards its S3 store's answer.
  InvalidPart: [
    400,
    'InvalidPart',
    'One or more of the specified parts could not be found. The part may not have been uploaded, ' +
      "or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [400, 'InvalidPartOrder', 'The list of parts was not in ascending order.'],
  EntityTooSmall: [400, 'EntityTooSmall', 'The object is smaller than the minimum allowed size'],
  RequestTimeTooSkewed: [
    403,
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
  ],
  AuthorizationQueryParametersError: [
    400,
    'AuthorizationQueryParametersError',
    'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, ' +
      'X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  ],
  PreconditionFailed: [412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold'],
  NotImplemented: [
    501,
    'NotImplemented',
    'A header or query you provided implies functionality that is not implemented',
  ],
  AccessDenied: [403, 'Unauthorized', 'Access denied'],
  ResourceAlreadyExists: [409, 'Duplicate', 'The resource already exists'],
  KeyAlreadyExists: [409, 'Duplicate', 'The resource already exists'],
  BucketAlreadyExists: [409, 'Duplicate', 'The resource already exists'],
  ResourceNotEmpty: [409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty'],
  ResourceReferenced: [
    409,
    'ResourceReferenced',
    'The resource could not be updated or removed due to a foreign key constraint',
  ],
  ResourceLocked: [423, 'ResourceLocked', 'The resource is locked'],
  EntityTooLarge: [413, 'Payload too large', 'The object exceeded the maximum allowed size'],
  InvalidMimeType: [415, 'invalid_mime_type', 'mime type is not supported'],
  InvalidBucketName: [400, 'Invalid Input', 'Bucket name invalid'],
  InvalidKey: [400, 'InvalidKey', 'Invalid key'],
  InvalidRange: [416, 'invalid_range', 'invalid range provided'],
  InvalidJWT: [400, 'InvalidJWT', 'Invalid JWT'],
  InvalidSignature: [400, 'InvalidSignature', 'Invalid signature'],
  ExpiredToken: [400, 'ExpiredToken', 'The provided token has expired.'],
  InvalidUploadId: [400, 'InvalidUploadId', 'Invalid upload id'],
  InvalidParameter: [400, 'InvalidParameter', 'Invalid Parameter'],
  InvalidRequest: [400, 'InvalidRequest', 'Invalid Request'],
  ConflictException: [409, 'ConflictException', 'The resource already exists'],
  NotFoundException: [404, 'NotFoundException', 'The resource was not found'],
  VectorBucketNotEmpty: [400, 'VectorBucketNotEmpty', 'The vector bucket is not empty'],
  S3VectorMaxBucketsExceeded: [400, 'S3VectorMaxBucketsExceeded', 'Maximum number of buckets exceeded'],
  S3VectorMaxIndexesExceeded: [400, 'S3VectorMaxIndexesExceeded', 'Maximum number of indexes exceeded'],
  FeatureNotEnabled: [409, 'FeatureNotEnabled', 'The feature is not enabled for this resource'],
  DatabaseTimeout: [544, 'DatabaseTimeout', 'The connection to the database timed out'],
  DatabaseReadOnly: [503, 'DatabaseReadOnly', 'The database is currently in read-only mode. Please try again later.'],
  DatabaseSchemaMismatch: [
    503,
    'DatabaseSchemaMismatch',
    'The database schema is out of sync. Please run migrations or contact support.',
  ],
  DatabaseInvalidObjectDefinition: [
    503,
    'DatabaseInvalidObjectDefinition',
    'The database schema is invalid or incompatible.',
  ],
  DatabaseError: [500, 'DatabaseError', 'database error'],
  DatabaseUnavailable: [503, 'DatabaseUnavailable', 'The database is restarting. Please try again in a moment.'],
  InsufficientStorage: [507, 'InsufficientStorage', 'No space is left on the disk that holds the stored files'],
  StorageReadOnly: [503, 'StorageReadOnly', 'The folder that holds the stored files cannot be written'],
  S3Error: [500, 'S3Error', 'The store that holds the files failed'],
  ServiceUnavailable: [503, 'ServiceUnavailable', 'Images cannot be transformed on this machine'],
  SlowDown: [429, 'SlowDown', 'Too many requests are being rendered, try again in a moment'],
  InternalError: [500, 'InternalError', 'Internal Server Error'],
} as const satisfies Record<string, readonly [status: number, error: string, message: string]>

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
    const [status, error, message] = CATALOGUE[code]
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

type DatabaseFault = { code: string; message: string; detail?: string; constraint?: string; where?: string }

const isDatabaseFault = (error: unknown): error is Error & DatabaseFault =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)

/** Converts a database error to a client's; returns anything else unchanged. @see storage-api
 *  src/storage/database/errors.ts */
export function fromDatabase(error: unknown): unknown {
  if (error instanceof ServiceError || !isDatabaseFault(error)) return error
  const cause = error
  switch (error.code) {
    case '42501':
      return storageError('AccessDenied', {
        cause,
        message: error.message.includes('row-level security')
          ? 'new row violates row-level security policy'
          : error.message,
      })
    // The token's role is unknown; upstream answers 500.
    case '22023':
      return /^role ".*" does not exist$/s.test(error.message)
        ? storageError('AccessDenied', { cause, message: error.message })
        : storageError('DatabaseError', { cause, message: `database error, code: ${error.code}` })
    case '23505':
      return storageError('ResourceAlreadyExists', { cause })
    case '23503':
      if (!error.detail?.includes('is still referenced from table')) {
        return storageError('InvalidRequest', { cause, message: 'The related resource does not exist' })
      }
      return storageError(
        'ResourceReferenced',
        error.constraint?.startsWith('s3_multipart_uploads')
          ? {
              cause,
              message: 'The bucket could not be updated because it is referenced by a pending multipart upload.',
            }
          : { cause },
      )
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
      return storageError('InvalidParameter', { cause, message: error.message })
    case '42703':
    case '42P01':
      return storageError(
        'DatabaseSchemaMismatch',
        error.where
          ? { cause, message: `There is a database schema mismatch in a trigger or RLS policy: ${error.where}` }
          : { cause },
      )
    default:
      return storageError('DatabaseError', { cause, message: `database error, code: ${error.code}` })
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
