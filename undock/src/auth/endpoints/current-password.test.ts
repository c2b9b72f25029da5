import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeIn, startTestAuth, type TestAuth } from '../../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth('[auth.email]\nrequire_current_password = true\n')
})
afterAll(() => auth.close())

const email = 'careful@example.com'

test('a password change requires the current password', async () => {
  const client = auth.client()
  await client.auth.signUp({ email, password: 'correct horse' })
  const change = (password: string, current_password?: string) =>
    client.auth.updateUser({ password, ...(current_password === undefined ? {} : { current_password }) })
  expect((await change('another horse')).error).toMatchObject({ status: 400, code: 'current_password_required' })
  expect((await change('another horse', 'wrong')).error).toMatchObject({
    status: 400,
    code: 'current_password_invalid',
  })
  expect((await change('correct horse', 'correct horse')).error?.code).toBe('same_password')
  expect((await change('another horse', 'correct horse')).error).toBeNull()
  expect((await client.auth.updateUser({ data: { name: 'Ada' } })).error).toBeNull()
})

test('a user who forgot the password sets a new one with the emailed code', async () => {
  const client = auth.client()
  await client.auth.resetPasswordForEmail(email)
  await client.auth.verifyOtp({ email, token: codeIn(auth.mailTo(email)), type: 'recovery' })
  expect((await client.auth.updateUser({ password: 'a third horse' })).error).toBeNull()
})
