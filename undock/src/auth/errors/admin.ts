/** What only the service role may do. */
export const adminErrors = {
  userIdInvalid: [404, 'validation_failed', 'user_id must be an UUID'],
  userUnknown: [404, 'user_not_found', 'User not found'],
  userByEmailUnknown: [404, 'user_not_found', 'User with this email not found'],
  pagination: [400, 'validation_failed', 'Bad Pagination Parameters: %s'],
  sorting: [400, 'validation_failed', 'Bad Sort Parameters: %s'],
  auditQuery: [400, 'validation_failed', 'Invalid query scope: %s'],
  banDuration: [400, 'validation_failed', 'invalid format for ban duration: %s'],
  createAddressMissing: [400, 'validation_failed', 'Cannot create a user without either an email or phone'],
  createOnePassword: [400, 'validation_failed', 'Only a password or a password hash should be provided'],
  createIdInvalid: [400, 'validation_failed', 'ID must conform to the uuid v4 format'],
  createIdNil: [400, 'validation_failed', 'ID cannot be a nil uuid'],
  // Upstream answers 500 "Error creating user" to a hash it cannot read; the fault is the caller's.
  bcryptTooLong: [400, 'validation_failed', 'bcrypt: password length exceeds 72 bytes'],
  passwordHashInvalid: [400, 'validation_failed', 'password_hash is not a bcrypt hash'],
  linkType: [400, 'validation_failed', 'Invalid email action link type requested: %s'],
  linkSecureChange: [400, 'validation_failed', 'Enable secure email change to generate link for current email'],
} as const
