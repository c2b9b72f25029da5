import { expect, test } from 'vitest'
import { beginExchange, makeVerifier, readVerifier } from './scram.ts'

// RFC 7677 §3, with the server's part of the nonce as bytes that encode to base64.
const SALT = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
const NONCE = Buffer.from('%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'.replaceAll(/[^A-Za-z0-9]/g, '').padEnd(28, 'A'), 'base64')
const FIRST = 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO'

test('the verifier is that of Postgres', () => {
  const made = makeVerifier('pencil', SALT, 4096)
  const stored = `SCRAM-SHA-256$4096:${SALT.toString('base64')}$${made.storedKey.toString('base64')}:${made.serverKey.toString('base64')}`
  expect(readVerifier(stored)).toEqual(made)
  expect(made.storedKey.toString('base64')).toBe('WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=')
  expect(made.serverKey.toString('base64')).toBe('wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=')
})

test('the challenge carries both nonces, the salt and the iterations', () => {
  const exchange = beginExchange(FIRST, makeVerifier('pencil', SALT), NONCE)
  expect(exchange?.challenge).toBe(
    `r=rOprNGfwEbeRWgbNEkqO${NONCE.toString('base64')},s=${SALT.toString('base64')},i=4096`,
  )
})

test.each(['', 'c=biws', 'c=biws,r=other,p=AAAA', 'c=biws,r=rOprNGfwEbeRWgbNEkqO,p=', 'c=eSws,r=x,p=x'])(
  'the final message %j proves nothing',
  (message) => expect(beginExchange(FIRST, makeVerifier('pencil', SALT), NONCE)?.answer(message)).toBeNull(),
)

test.each(['', 'n,,', 'n,,n=user', 'p=tls-unique,,n=,r=abc', 'x,,n=,r=abc'])(
  'the first message %j is malformed',
  (message) => expect(beginExchange(message, makeVerifier('x'))).toBeUndefined(),
)

test.each(['', 'md5abc', 'SCRAM-SHA-256$x'])('%j is not a verifier', (stored) =>
  expect(readVerifier(stored)).toBeUndefined(),
)
