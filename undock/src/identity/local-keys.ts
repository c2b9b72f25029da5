import type { JWK } from 'jose'

// The keys of every local project of `supabase start` (supabase/cli pkg/config), besides the defaults of config.toml. They are the
// same here, because a project's tests and saved sessions contain them. They protect nothing and must not be used outside
// of a local machine.

/** Seconds since the epoch, in 2032. */
export const LOCAL_KEY_EXPIRY = 1_983_812_996
export const LOCAL_KEY_ISSUER = 'supabase-demo'

export const LOCAL_SIGNING_KEY: JWK = {
  kty: 'EC',
  kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90',
  use: 'sig',
  key_ops: ['sign', 'verify'],
  alg: 'ES256',
  ext: true,
  crv: 'P-256',
  x: 'M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4',
  y: 'P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ',
  d: 'dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU',
}
