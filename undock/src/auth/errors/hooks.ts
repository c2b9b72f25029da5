/** @see supabase/auth internal/hooks */
export const hookErrors = {
  hookFailed: [500, 'unexpected_failure', 'Error running hook URI: %s'],
  hookTimeout: [422, 'hook_timeout', 'Failed to reach hook within maximum time of %s seconds'],
  hookUnreachable: [422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries'],
  hookAnswerTooLarge: [422, 'hook_payload_over_size_limit', 'Payload size exceeded size limit of %s bytes'],
  hookContentTypeMissing: [
    400,
    'hook_payload_invalid_content_type',
    'Invalid Content-Type: Missing Content-Type header',
  ],
  hookContentType: [400, 'hook_payload_invalid_content_type', 'Invalid JSON response. Received content-type: %s'],
  hookBusy: [500, 'unexpected_failure', 'Service currently unavailable due to hook'],
  hookPayloadInvalid: [500, 'unexpected_failure', 'Invalid payload sent to hook'],
  hookUnauthorized: [500, 'unexpected_failure', 'Hook requires authorization token'],
  hookStatus: [500, 'unexpected_failure', 'Unexpected status code returned from hook: %s'],
  hookOutput: [500, 'unexpected_failure', 'Error unmarshaling JSON output.'],
  hookClaimsMissing: [500, 'unexpected_failure', 'output claims field is missing'],
  hookClaimsInvalid: [500, 'unexpected_failure', 'output claims do not conform to the expected schema: \n%s'],
} as const
