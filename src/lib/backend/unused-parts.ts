// Build-time stand-ins for unused parts of Supabase's client (see vite.config.ts).

export class IcebergRestCatalog {
  constructor() {
    refuse()
  }
}

export { refuse as createSiweMessage, refuse as fromHex, refuse as getAddress, refuse as toHex }

function refuse(): never {
  throw new Error('This build has neither analytics buckets nor sign-in with a wallet: vite.config.ts leaves them out.')
}
