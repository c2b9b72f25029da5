import type AuthAdmin from '@supabase/auth-js/dist/module/GoTrueAdminApi.js'

/** Build-time stand-in for the auth client's admin methods (see vite.config.ts), of which signing out uses one. */
// biome-ignore lint/style/noDefaultExport: the module that it stands in for has one
export default class {
  readonly #made: ConstructorParameters<typeof AuthAdmin>

  constructor(...made: ConstructorParameters<typeof AuthAdmin>) {
    this.#made = made
  }

  async signOut(...given: Parameters<AuthAdmin['signOut']>): ReturnType<AuthAdmin['signOut']> {
    const { default: AuthAdmin } = await import('@supabase/auth-js/dist/module/GoTrueAdminApi.js')
    return new AuthAdmin(...this.#made).signOut(...given)
  }
}
