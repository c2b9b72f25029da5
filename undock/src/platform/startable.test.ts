import { afterAll, expect, test } from 'vitest'

const { platform } = process
afterAll(() => Object.defineProperty(process, 'platform', { value: platform }))

test('on Windows, cmd.exe runs a script with spaces and special characters in path and arguments', async () => {
  Object.defineProperty(process, 'platform', { value: 'win32' })
  const { startable } = await import('./process.ts')
  const { file, args, options } = startable('C:\\Users\\Ada Lovelace\\npm.cmd', ['install', 'C:\\Ada Lovelace', 'a&b'])
  expect(file).toBe(process.env.comspec ?? 'cmd.exe')
  expect(args).toEqual([
    '/d',
    '/s',
    '/c',
    '"C:\\Users\\Ada^ Lovelace\\npm.cmd ^"install^" ^"C:\\Ada^ Lovelace^" ^"a^&b^""',
  ])
  expect(options).toEqual({ windowsVerbatimArguments: true })
})
