// Started by Playwright in addition to the app: a sign-in provider that asks who signs in.
import { startIdentityProvider } from '../../undock/src/testing/identity-provider.ts'

const PAGE = `<!doctype html>
<html lang="en">
  <title>Company sign-in</title>
  <h1>Company sign-in</h1>
  <form method="post">
    <label>Company address <input name="email" type="email" autofocus></label>
    <button name="answer" value="allow">Allow</button>
    <button name="answer" value="deny">Deny</button>
  </form>
</html>`

const provider = await startIdentityProvider(async (request, response) => {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html').end(PAGE)
    return null
  }
  let body = ''
  for await (const part of request) body += part
  const form = new URLSearchParams(body)
  const email = form.get('email') ?? ''
  return form.get('answer') === 'allow' ? { sub: email, email, email_verified: true, name: 'Grace Hopper' } : 'denied'
}, Number(process.argv[2]))
provider.mount(`${process.env.SUPABASE_URL}/auth/v1/callback`)
