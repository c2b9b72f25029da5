/** @see supabase/auth internal/api/web3.go; what is wrong with a signature or an app is refused in OAuth's shape */
export const web3Errors = {
  web3ChainUnsupported: [400, 'web3_unsupported_chain', 'Unsupported chain'],
  web3Disabled: [422, 'web3_provider_disabled', '%s provider is disabled'],
  web3Message: [400, 'validation_failed', '%s'],
} as const
