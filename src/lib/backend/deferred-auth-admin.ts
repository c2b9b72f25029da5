import type AuthAdmin from '@supabase/auth-js/dist/module/GoTrueAdminApi.js'

/** Stands in for the Auth client's methods of administrators in the build (see vite.config.ts). Its client calls one of them, to
 *  sign out, and this loads them for that. */
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
