export type ApiKeys = {
  readonly publishable: string
  readonly secret: string
  /** Legacy HS256 tokens with the roles `anon` and `service_role`. */
  readonly anon: string
  readonly serviceRole: string
}
