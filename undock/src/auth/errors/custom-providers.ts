/** @see supabase/auth internal/api/custom_oauth_admin.go, internal/utilities/url_validator.go */
export const customProviderErrors = {
  customProviderInvalid: [400, 'validation_failed', '%s'],
  customProviderTaken: [400, 'conflict', 'A custom OAuth provider with this identifier already exists'],
  customProviderUnknown: [404, 'custom_provider_not_found', 'Custom OAuth provider not found'],
  customTokenUnknown: [400, 'validation_failed', 'Custom provider "%s" not found'],
  customTokenDisabled: [400, 'provider_disabled', 'Custom provider "%s" is disabled'],
  customTokenNotOidc: [400, 'validation_failed', 'Provider "%s" is not an OIDC provider'],
} as const
