/** @see supabase/auth internal/api/ssoadmin.go, sso.go, samlacs.go */
export const ssoErrors = {
  samlDisabled: [404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
  ssoProviderUnknown: [404, 'sso_provider_not_found', 'SSO Identity Provider not found'],
  ssoParamsInvalid: [400, 'validation_failed', '%s'],
  ssoProviderMissing: [404, 'sso_provider_not_found', 'No such SSO provider'],
  ssoDomainUnassigned: [404, 'sso_provider_not_found', 'No SSO provider assigned for this domain'],
  ssoProviderDisabled: [404, 'sso_provider_disabled', 'SSO Provider is currently disabled'],
  ssoDomainTaken: [
    400,
    'sso_domain_already_exists',
    "SSO Domain '%s' is already assigned to an SSO identity provider (%s)",
  ],
  ssoConflict: [422, 'conflict', 'Updating SSO provider failed, likely due to a conflict. Try again?'],
  samlIdpExists: [422, 'saml_idp_already_exists', 'SAML Identity Provider with this EntityID (%s) already exists'],
  samlEntityMismatch: [
    400,
    'saml_entity_id_mismatch',
    "SAML Metadata can be updated only if the EntityID matches for the provider; expected '%s' but got '%s'",
  ],
  samlMetadataFetch: [400, 'saml_metadata_fetch_failed', "%s fetching SAML Metadata from URL '%s'"],
  samlRelayUnknown: [404, 'saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?'],
  samlRelayExpired: [422, 'saml_relay_state_expired', 'SAML RelayState has expired. Try logging in again?'],
  samlIdpUnknown: [404, 'saml_idp_not_found', 'A SAML connection has not been established with this Identity Provider'],
  samlAssertionInvalid: [400, 'validation_failed', 'SAML Assertion is not valid'],
  samlNoUserId: [
    400,
    'saml_assertion_no_user_id',
    'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
  ],
  samlNoEmail: [400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address'],
  samlUnconfigured: [500, 'unexpected_failure', 'SAML needs an RSA key of at least 2048 bits in auth.saml.private_key'],
} as const
