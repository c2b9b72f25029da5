import { strictEqual } from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { decodeText } from './charset.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const latin = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0))

const ENCODED: readonly [string, string, string][] = [
  [
    'French',
    'TGUgY2hhdCBub2lyIHMnZXN0IGFzc2lzIHBy6HMgZGUgbGEgZmVu6nRyZSwgb/kgaWwgYSBtYW5n6SB1biBn4nRlYXUu',
    "Le chat noir s'est assis près de la fenêtre, où il a mangé un gâteau.",
  ],
  [
    'German',
    'RGVyIFfkcnRlciB65GhsdCBkaWUgU2NoaWZmZS4gR3L232VyZSBL5GhuZSBt/HNzZW4gd2FydGVuLg==',
    'Der Wärter zählt die Schiffe. Größere Kähne müssen warten.',
  ],
  [
    'one name',
    'YXV0aG9yID0ge038bGxlciwgS2FybH0sIHRpdGxlID0ge0xhbXBzIG9mIHRoZSByZWVmfQ==',
    'author = {Müller, Karl}, title = {Lamps of the reef}',
  ],
  ['a price', 'TGFudGVybiAxMiCjLCByb3BlIDMgow==', 'Lantern 12 £, rope 3 £'],
  [
    'Italian',
    'TGEgY2l0dOAg6CBiZWxsaXNzaW1hIHBlcmNo6SBjJ+ggaWwgbWFyZSwgZSBwafkgdGFyZGkgYW5kcvIgZ2n5IGFsIGNhZmboLg==',
    "La città è bellissima perché c'è il mare, e più tardi andrò giù al caffè.",
  ],
  [
    'classic Mac OS',
    'TGUgY2FmjiBwco9zIGRlIGxhIGZlbpB0cmUsIG+dIGlsIGEgbWFuZ44gdW4gZ4l0ZWF1IIggQmVzYW6Nb24u',
    'Le café près de la fenêtre, où il a mangé un gâteau à Besançon.',
  ],
  [
    'Polish',
    'r/OzdGEgs/NkvCBws3lu6rNhIHBvd29saSB3emSzdb8gd3licnplv2EsIGEgZHppZWNpILZwaWV3YbN5Lg==',
    'Żółta łódź płynęła powoli wzdłuż wybrzeża, a dzieci śpiewały.',
  ],
  [
    'Polish, Windows',
    'r/OzdGEgs/NknyBws3lu6rNhIHBvd29saSB3emSzdb8gd3licnplv2EsIGEgZHppZWNpIJxwaWV3YbN5Lg==',
    'Żółta łódź płynęła powoli wzdłuż wybrzeża, a dzieci śpiewały.',
  ],
  ['Czech', 'UPjtbGm5IL5sdbtvdehr/SBr+fIg+nDsbCDv4WJlbHNr6SDzZHku', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'],
  [
    'Turkish',
    'RmVuZXIgYmVr52lzaSBnZWNlbGVyaSBnZW1pbGVyaSBzYXn9eW9yLiBH/G5l/iBiYXT9eW9yZHUu',
    'Fener bekçisi geceleri gemileri sayıyor. Güneş batıyordu.',
  ],
  [
    'Greek',
    'zyD2/evh6uHyIPTv9SD23PHv9SDs5fTx3OXpIPThIPDr79/hIPTnIO399/ThLg==',
    'Ο φύλακας του φάρου μετράει τα πλοία τη νύχτα.',
  ],
  [
    'Hebrew',
    '+eXu+CDk7uLj7OX4IPHl9Pgg4Pog5ODl8Onl+iDh7Ons5C4g5OntIOTp5CD59+gu',
    'שומר המגדלור סופר את האוניות בלילה. הים היה שקט.',
  ],
  [
    'Arabic',
    'zcfR0yDH4ePkx9HJIO3azyDH4dPd5CDd7SDH4eHt4S4g38fkIMfhyM3RIOXHz8bHLg==',
    'حارس المنارة يعد السفن في الليل. كان البحر هادئا.',
  ],
  ['Russian', '0ezu8vDo8uXr/CDs4P/q4CDx9+jy4OXyIOru8ODh6+gg7+4g7e734Owu', 'Смотритель маяка считает корабли по ночам.'],
  [
    'Russian, Unix',
    '883P1NLJ1MXM2CDNwdHLwSDT3snUwcXUIMvP0sHCzMkg0M8gzs/ewc0u',
    'Смотритель маяка считает корабли по ночам.',
  ],
  [
    'Russian, DOS',
    'kayu4uCo4qWr7CCsoO+qoCDh56jioKXiIKqu4KChq6ggr64gra7noKwu',
    'Смотритель маяка считает корабли по ночам.',
  ],
  ['Thai', 'vNnptNnhxbvD0MDSpNLDudG64MPXzeO54MfF0qHF0qek17kgt9Dgxcqnug==', 'ผู้ดูแลประภาคารนับเรือในเวลากลางคืน ทะเลสงบ'],
  [
    'Korean',
    'te6068H2seK0wiC547i2tNkguei4piC8vrTZLiC52bTZtMIgwNzA3MfftNku',
    '등대지기는 밤마다 배를 센다. 바다는 잔잔했다.',
  ],
  [
    'Japanese',
    'k5SR5ILMjueC6JBsgs2W6YLMkUSC8JCUgqaC6YFCikOCzZDDgqmCvoFC',
    '灯台の守り人は夜の船を数える。海は静かだ。',
  ],
  [
    'Japanese, Unix',
    'xfTC5qTOvOmk6r/NpM/M66TOwaWk8r/0pKik66Gjs6Skz8DFpKukwKGj',
    '灯台の守り人は夜の船を数える。海は静かだ。',
  ],
  ['Japanese in emails', 'GyRCRXRCZiROPGkkaj9NJE9MayROQSUkcj90JCgkayEjGyhC', '灯台の守り人は夜の船を数える。'],
  ['Chinese', 'tcbL/rXEytjSucjLyv3XxdK5wO+1xLSs1ruho7qjw+bGvb6yoaM=', '灯塔的守夜人数着夜里的船只。海面平静。'],
  ['Chinese, Taiwan', 'v0+28Kq6pnWpXaRIvMa126lduMyqurLusKahQ678rbGlrcBSoUM=', '燈塔的守夜人數著夜裡的船隻。海面平靜。'],
  [
    'Japanese in a short table',
    'YTtiDQoxO5OUkeSO54LNloiU04OJg5ODdoLJic6C8JOUgrWBQZhwgsyRRILwkJSCpoLpgUINCg==',
    'a;b\r\n1;灯台守は毎晩ランプに火を灯し、湾の船を数える。\r\n',
  ],
  [
    'UTF-16 without a BOM',
    'VABoAGUAIABrAGUAZQBwAGUAcgAgAGMAbwB1AG4AdABzAC4ACgCIWxxZuk4=',
    'The keeper counts.\n守夜人',
  ],
  ['UTF-16, big-endian', 'AFQAaABlACAAawBlAGUAcABlAHIAIABjAG8AdQBuAHQAcwAuAAo=', 'The keeper counts.\n'],
  [
    'UTF-32',
    'VAAAAGgAAABlAAAAIAAAAGsAAABlAAAAZQAAAHAAAABlAAAAcgAAACAAAAAe0QEAIAAAAGMAAABvAAAAdQAAAG4AAAB0AAAAcwAAAC4AAAA=',
    'The keeper 𝄞 counts.',
  ],
  [
    'German, DOS',
    'RGVyIFeEcnRlciB6hGhsdCBkaWUgU2NoaWZmZS4gR3KU4WVyZSBLhGhuZSBtgXNzZW4gZnKBaCB3YXJ0ZW4u',
    'Der Wärter zählt die Schiffe. Größere Kähne müssen früh warten.',
  ],
  [
    'French, DOS',
    'TGUgZ2FyZGllbiBhbGx1bWUgbGEgbGFtcGUghSBsYSB0b21igmUgZGUgbGEgbnVpdCwgZXQgbCeCdIIgcydhY2iKdmUgZIJqhSBwcopzIGR1IHBoYXJlLg==',
    "Le gardien allume la lampe à la tombée de la nuit, et l'été s'achève déjà près du phare.",
  ],
  [
    'a frame around a heading, DOS',
    'yc3Nzc3Nzc27CrogR3KU4WUgugrIzc3Nzc3NzbwKRGVyIFeEcnRlciB6hGhsdCBkaWUgU2NoaWZmZS4gR3KU4WVyZSBLhGhuZSBtgXNzZW4gZnKBaCB3YXJ0ZW4u',
    '╔═══════╗\n║ Größe ║\n╚═══════╝\nDer Wärter zählt die Schiffe. Größere Kähne müssen früh warten.',
  ],
  [
    'Polish, DOS',
    'U3Ryor4gbGF0YXJuaSBsaWN6eSBrYb5kZWogbm9jeSBzdGF0a2kgcIh5bqVjZSBvYm9rIHCiiG5vY25laiByYWZ5Lg==',
    'Stróż latarni liczy każdej nocy statki płynące obok północnej rafy.',
  ],
  [
    'Turkish, DOS',
    'RmVuZXIgYmVrh2lzaSBnZWNlbGVyaSBnZW1pbGVyaSBzYXmNeW9yLiBHgW5lnyBiYXSNeW9yZHUsIGaNcnSNbmEgh41rdI0u',
    'Fener bekçisi geceleri gemileri sayıyor. Güneş batıyordu, fırtına çıktı.',
  ],
  [
    'Russian, IBM',
    '5NLW5eG35ajQ7SDSoN7GoCDj+7floKjlIMbW4aCi0Lcg2NYg1Nb7oNIu',
    'Смотритель маяка считает корабли по ночам.',
  ],
  [
    'Greek, DOS',
    'jiCt56KYoZiqIKumrCCt4aimrCCjnKuo4ZygIKuYIKeipuWYIKueIKTnrquYLg==',
    'Ο φύλακας του φάρου μετράει τα πλοία τη νύχτα.',
  ],
  [
    'Lithuanian, DOS',
    'vnZ5dHVyaW8gc2FyZ2FzIGthc25ha3Qgc2thadFpdW9qYSBsYWl2dXMsIHBsYXVraWFu0Wl1cyBwcm8g1WlhdXJpbtQgcmlm0C4gS2FpIGF0ZWluYSBhdWRyYSwgamlzIG111WEgdmFycNAu',
    'Švyturio sargas kasnakt skaičiuoja laivus, plaukiančius pro šiaurinį rifą. Kai ateina audra, jis muša varpą.',
  ],
  [
    'Hebrew, DOS',
    'mYWOmCCEjoKDjIWYIJGFlJgggJoghICFkImFmiCBjImMhC4ghImNIISJhCCZl4gu',
    'שומר המגדלור סופר את האוניות בלילה. הים היה שקט.',
  ],
  [
    'Chinese characters of four bytes',
    'tcbL/srY0rnIy8O/ze3K/dfFvq25/bGxsd+9uMqvtcS0rNa7oaPL+8P7vdCBOe8xgjCrM6Gj',
    '灯塔守夜人每晚数着经过北边礁石的船只。他名叫㐂㙍。',
  ],
  [
    'Korean in emails',
    'GyQpQw41bjRrQXYxYjRCDyAOOWM4NjRZDyAOOWg4Jg8gDjw+NFkPLgoOOVk0WTRCDyAOQFxAXEdfNFkPLg==',
    '등대지기는 밤마다 배를 센다.\n바다는 잔잔했다.',
  ],
  ['Chinese in news groups', 'fns1Rkt+SlhSOUhLfn0gaXMgb24gd2F0Y2gu', '灯塔守夜人 is on watch.'],
]
for (const [name, bytes, text] of ENCODED) {
  Deno.test(`text is decoded: ${name}`, async () => strictEqual(await decodeText(Buffer.from(bytes, 'base64')), text))
}

const DECODED: readonly [string, Uint8Array, string | null, boolean?][] = [
  [
    'a declaration in a page',
    latin('<meta http-equiv="x" content="text/html; charset=iso-8859-5"><p>\xbc\xd0'),
    '<meta http-equiv="x" content="text/html; charset=iso-8859-5"><p>Ма',
  ],
  [
    'a declaration in XML',
    latin('<?xml version="1.0" encoding="koi8-r"?><a>\xed'),
    '<?xml version="1.0" encoding="koi8-r"?><a>М',
  ],
  [
    'a declaration in a program',
    latin('#!/bin/x\n# -*- coding: latin-1 -*-\n\xe9'),
    '#!/bin/x\n# -*- coding: latin-1 -*-\né',
  ],
  ['UTF-8 whatever is declared', new TextEncoder().encode('<meta charset=latin1>é'), '<meta charset=latin1>é'],
  [
    'a wrong declaration',
    Buffer.from('PG1ldGEgY2hhcnNldD1pc28tODg1OS0xPjxwPpOUkeSCzI7nguiQbILNlumCzJFEgvCQlIKmgumBQg==', 'base64'),
    '<meta charset=iso-8859-1><p>灯台の守り人は夜の船を数える。',
  ],
  ['UTF-8 of symbols between letters', new TextEncoder().encode('a→b, c→d'), 'a→b, c→d'],
  ['truncated UTF-8', new TextEncoder().encode(`${'Größe '.repeat(20)}ü`).slice(0, -1), `${'Größe '.repeat(20)}\ufffd`],
  [
    'replacement characters in UTF-8',
    utf8(`${'Renames '.repeat(9)}\ufffdl\ufffdment to Él`),
    `${'Renames '.repeat(9)}\ufffdl\ufffdment to Él`,
  ],
  [
    'a Latin-1 name in UTF-8',
    Uint8Array.of(...utf8('Thanks to “Müller”, and to Jos'), 0xe9, 0x0a),
    'Thanks to “Müller”, and to Jos\ufffd\n',
  ],
  ['controls', latin('A bell\x07.\fPage 2\rline\r\n\x1a'), 'A bell.\nPage 2\nline\r\n'],
  [
    'a control character in Cyrillic text',
    latin(`\x0e\x07${'\xed\xe1\xf1\xcb \xd3\xd7\xc5\xd4\xc9\xd4 \xd7 \xcd\xcf\xd2\xc5. '.repeat(9)}`),
    'МАЯк светит в море. '.repeat(9),
  ],
  ['overstruck letters', latin('N\bNA\bAM\bME\bE _\bf\bf'), 'NAME f'],
  ['the euro sign in Latin-9', latin("L'\xbduvre co\xfbte 5 \xa4."), "L'œuvre coûte 5 €."],
  ['the currency sign in Windows-1252', latin('\x84Gr\xfc\xdfe\x93 f\xfcr 5 \xa4.'), '„Grüße“ für 5 ¤.'],
  ['terminal colors', latin('\x1b[1;31mred\x1b[0m'), 'red'],
  ['noise', latin('\0\x01\x02\x03'), null],
  ['a file that may be binary', latin('ab\x01cd and more, all of it text'), null, true],
]
for (const [name, bytes, text, mayBeBinary] of DECODED) {
  Deno.test(`encodings are detected: ${name}`, async () => strictEqual(await decodeText(bytes, mayBeBinary), text))
}
