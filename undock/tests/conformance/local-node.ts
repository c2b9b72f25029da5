// A node of `undock serve` with the keys of local projects, which upstream's suites expect and real nodes reject. Prepares the
// database with `--migrate`, else serves until terminated. Uses the variables of nodes; UNDOCK_TEST_FILES sets the file store,
// UNDOCK_TEST_SMTP_PORT the SMTP server.
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { readProjectConfig } from '../../src/config/project.ts'
import { migrate } from '../../src/runtime/serve/database.ts'
import { startNode } from '../../src/runtime/serve/node.ts'
import { LOCAL_CREDENTIALS } from '../../src/storage/s3/authenticate.ts'

const [workdir = '.', mode] = process.argv.slice(2)
const { config, settings, env } = readProjectConfig(workdir, process.env)
const trustedProxies = new BlockList()
trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4')
const smtp = {
  enabled: true,
  host: '127.0.0.1',
  port: Number(process.env.UNDOCK_TEST_SMTP_PORT),
  user: 'mailer',
  pass: 'x',
  admin_email: 'admin@example.com',
  sender_name: 'Admin',
}
const node = {
  supabaseFolder: join(workdir, 'supabase'),
  config: { ...config, auth: { ...config.auth, email: { ...config.auth.email, smtp } } },
  settings,
  env,
  databaseUrl: settings.database_url ?? '',
  trustedProxies,
  files: JSON.parse(process.env.UNDOCK_TEST_FILES ?? '{}'),
  s3Credentials: LOCAL_CREDENTIALS,
}
if (mode === '--migrate') await migrate(node, () => undefined)
else {
  await startNode(node, (line) => console.log(JSON.stringify(line)))
  console.error('Serving on port')
}
