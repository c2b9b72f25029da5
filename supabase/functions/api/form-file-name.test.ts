import { strictEqual } from 'node:assert/strict'
import { formFileName } from './form-file-name.ts'

const CASES: readonly [string, string | undefined][] = [
  ['name="file"; filename="Smith; Jones 2020.pdf"', 'Smith; Jones 2020.pdf'],
  ['name="file"; filename="%22Bell%22 100%25.pdf"', '"Bell" 100%25.pdf'],
  ['name="file"; filename="a\\"b\\".pdf"', 'a"b".pdf'],
  ['filename="Kähne.pdf"; name="file"', 'Kähne.pdf'],
  ['name="file"; filename=plain.txt', 'plain.txt'],
  ['name="file"; filename*=utf-8\'\'K%C3%A4hne%3B.pdf', 'Kähne;.pdf'],
  ['name="file"; filename="a\u202etxt.\texe.txt"', 'a txt. exe.txt'],
  ['name="file"', undefined],
]
for (const [header, name] of CASES) {
  Deno.test(`the file name is ${name} for ${header}`, async () => {
    const body = `--q\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--q\r\nContent-Disposition: form-data; ${header}\r\n\r\nfilename="no.pdf"\r\n--q--\r\n`
    strictEqual(await formFileName(new Request('http://api', { method: 'POST', body })), name)
  })
}
