import { join } from 'node:path'
import { fetchPackage } from '../kernel/fetched-package.ts'

const PACKAGE = '@supabase/postgres-meta'
/** The version that undock is tested with. */
const VERSION = '0.99.0'

/** The file of postgres-meta that builds its server. The package is fetched once on a machine: it is not installed with
 *  undock, because many projects never need it and it takes 212 MB.
 *  @param tell Called before it is fetched.
 *  @throws {FetchError} */
export async function provideServerFile(tell: () => void): Promise<string> {
  return join(await fetchPackage(`${PACKAGE}@${VERSION}`, tell), PACKAGE, 'dist/server/app.js')
}
