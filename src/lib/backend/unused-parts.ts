// Stands in for parts of Supabase's client that the app does not use (see vite.config.ts).

/** Tables of analytics buckets. */
export class IcebergRestCatalog {
  constructor() {
    refuse()
  }
}

/** Signing in with a wallet. */
export { refuse as createSiweMessage, refuse as fromHex, refuse as getAddress, refuse as toHex }

function refuse(): never {
  throw new Error('This build has neither analytics buckets nor sign-in with a wallet: vite.config.ts leaves them out.')
}
