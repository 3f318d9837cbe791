import { describe, expect, it } from "vitest";

import { INT, listOf, mapOf, STRING } from "./check/types.js";
import { compileExpression, type CelProgram, type Environment } from "./expression.js";
import { ValueList } from "./value/list.js";
import { CelError, TOO_HEAVY, type CelList, type Result } from "./value/value.js";

const NOTHING: Environment = { variables: new Map() };

function program(text: string, environment = NOTHING): CelProgram {
  const compiled = compileExpression(text, environment);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.program;
}

function run(text: string): Result {
  return program(text).run(() => undefined, 1_000_000).result;
}

describe("is true", () => {
  it.each([
    "1 + 2 * 3 == 7 && 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1",
    "9223372036854775807 > 9223372036854775806",
    "1u + 2u == 3u && 1u == dyn(1) && dyn(1.0) == 1 && 1 < 1.5 && 2u > 1",
    "'a' + \"b\" == 'ab' && b'ab' == bytes('ab') && r'\\n' == '\\\\n' && '\\u00e9' == 'é' && '''a'b''' == 'a\\'b'",
    "'😀'.size() == 1 && size(b'é') == 2",
    "[1, 2] + [3] == [1, 2, 3] && 2 in [1, 2] && !(4 in [1, 2]) && {'a': 1}['a'] == 1 && 'a' in {'a': 1}",
    "true || 1 / 0 > 0",
    "!(1 / 0 > 0 && false)",
    "[0, 1].exists(x, 1 / x == 1)",
    "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6] && [1, 2, 3].filter(x, x != 2) == [1, 3]",
    "[1, 2, 2].exists_one(x, x == 1) && ![1, 2, 2].exists_one(x, x == 2) && {'a': 1, 'b': 2}.all(k, k < 'c')",
    "[4, 5].all(i, v, v == i + 4) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [7].existsOne(i, v, i == 0)",
    "[1, 2].transformList(i, v, i * v) == [0, 2] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
    "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
    "type(1) == int && type('') == string && type([]) == list && type(type(1)) == type && type(null) == null_type",
    "type(timestamp('2020-01-01T00:00:00Z')) == google.protobuf.Timestamp && type(ip('::1')) == net.IP",
    "int('42') == 42 && int(3.9) == 3 && int(-3.9) == -3 && uint('7') == 7u && double('1.5') == 1.5 && string(1e6) == '1e+06'",
    "string(true) == 'true' && bool('t') && string(1.5) == '1.5' && string(b'é') == 'é'",
    "timestamp('2024-02-29T12:00:00+02:00') == timestamp('2024-02-29T10:00:00Z')",
    "timestamp('2024-01-31T23:30:00Z').getDayOfMonth() == 30 && timestamp('2024-01-31T23:30:00Z').getDate('+01:00') == 1",
    "timestamp('2024-07-01T00:00:00Z').getHours('Europe/Zurich') == 2 && timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365",
    "timestamp('2024-01-01T00:00:00Z') - timestamp('2023-12-31T00:00:00Z') == duration('24h')",
    "duration('1h30m').getMinutes() == 90 && string(duration('90m')) == '5400s' && duration('-1.5s').getMilliseconds() == -1500",
    "string(timestamp('2024-01-01T00:00:00.120Z')) == '2024-01-01T00:00:00.12Z' && int(timestamp(5)) == 5",
    "optional.of(1).hasValue() && !optional.none().hasValue() && optional.none().orValue(3) == 3",
    "{'a': {'b': 1}}.?a.?b == optional.of(1) && !{'a': 1}.?b.hasValue() && [1][?0].value() == 1 && ![1][?3].hasValue()",
    "[?optional.none(), 1] == [1] && {?'a': optional.none()} == {} && optional.of(2).optMap(x, x + 1).value() == 3",
    "optional.of([1]).optFlatMap(l, l[?0]) == optional.of(1) && [1, 2].first().value() == 1 && [].last() == optional.none()",
    "optional.ofNonZeroValue('') == optional.none() && optional.unwrap([optional.of(1), optional.none()]) == [1]",
    "'tacocat'.charAt(3) == 'o' && 'tacocat'.indexOf('a', 2) == 5 && 'tacocat'.lastIndexOf('c', 3) == 2 && ''.charAt(0) == ''",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && ''.split('') == [] && ['a', 'b'].join('-') == 'a-b' && 'aXbX'.replace('X', '', 1) == 'abX'",
    "' \\t x\\n'.trim() == 'x' && 'ÀbC'.lowerAscii() == 'Àbc' && 'abc'.substring(1, 2) == 'b' && strings.quote('a\"') == '\"a\\\\\"\"'",
    "'%s %d %.2f %x %X %o %b %%'.format(['é', 5, 1.005, 255, 'z', 8, 5]) == 'é 5 1.00 ff 7A 10 101 %'",
    "'%s'.format([[1, 'a', {'k': 1.5}]]) == '[1, \"a\", {\"k\":1.500000}]'",
    "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(s, s.size()) == ['a', 'bb'] && [1, 2].reverse() == [2, 1]",
    "[1, 1, 2].distinct() == [1, 2] && [[1], [2, 3]].flatten() == [1, 2, 3] && [[[1]], [[2]]].flatten(2) == [1, 2] && lists.range(3) == [0, 1, 2] && [1, 2, 3].slice(1, 3) == [2, 3]",
    "[1, 2].sum() == 3 && [1.5].sum() == 1.5 && ['b', 'a'].max() == 'b' && [2, 1].min() == 1 && [1, 1, 2].isSorted() && [1, 2, 1].lastIndexOf(1) == 2",
    "sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2]) && !sets.intersects([1], [2])",
    "'abc123'.find('[0-9]+') == '123' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1'] && 'abc'.matches('b')",
    "url('https://user@example.com:80/a%20b?x=1&x=2&y').getHost() == 'example.com:80'",
    "url('https://[::1]:80/').getHostname() == '::1' && url('https://h/a b').getEscapedPath() == '/a%20b' && !isURL('../x')",
    "url('https://h/?x=1&x=2&y').getQuery() == {'x': ['1', '2'], 'y': ['']}",
    "ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && !isIP('010.0.0.1') && !isIP('::ffff:1.2.3.4') && ip.isCanonical('2001:db8::1')",
    "string(ip('2001:DB8::1')) == '2001:db8::1' && ip('10.0.0.1').family() == 4 && ip('224.0.0.1').isLinkLocalMulticast()",
    "cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && cidr('10.0.0.0/8').containsCIDR('10.0.0.0/16') && !cidr('10.0.0.0/16').containsCIDR('10.0.0.0/8')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0')",
    "quantity('1.5Gi').isGreaterThan(quantity('1G')) && quantity('1k').asInteger() == 1000 && !quantity('100m').isInteger() && sign(quantity('-1')) == -1",
    "quantity('1').add(quantity('500m')) == quantity('1500m') && quantity('2').sub(1).compareTo(quantity('1')) == 0 && !isQuantity('1x')",
    "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('1.0.0-2').compareTo(semver('1.0.0-10')) == -1 && !isSemver('1.2') && isSemver('v1.2', true)",
    "format.dns1123Label().validate('a-b') == optional.none() && format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
    "!format.named('nonesuch').hasValue() && format.dns1123LabelPrefix().validate('a-') == optional.none()",
    "has({'a': 1}.a) && !has({'a': 1}.b)",
  ])("%s", (text) => {
    expect(run(text)).toBe(true);
  });
});

describe("fails", () => {
  it.each([
    ["1 / 0 == 1", "division by zero"],
    ["1 % 0 == 1", "modulus by zero"],
    ["9223372036854775807 + 1 > 0", "integer overflow"],
    ["-(-9223372036854775807 - 1) > 0", "integer overflow"],
    ["1u - 2u == 0u", "unsigned integer overflow"],
    ["int(1e19) == 0", "integer overflow"],
    ["[1][1] == 1", "index out of bounds: 1"],
    ["{'a': 1}['b'] == 1", "no such key: b"],
    ["{'a': 1}.b == 1", "no such key: b"],
    ["dyn('a') > 1", "no such overload"],
    ["dyn([]) > 1", "no such overload: _>_(list, int)"],
    ["dyn(1).startsWith('a')", "no such overload"],
    ["dyn(1).lowerAscii() == ''", "no such overload: lowerAscii(int)"],
    ["'abc'.substring(4) == ''", "index out of range: 4"],
    ["[].min() == 1", "min called on empty list"],
    ["optional.none().value() == 1", "optional.none() dereference"],
    ["quantity('x') == quantity('1')", "quantities must match the regular expression"],
    ["timestamp(300000000000) > timestamp(0)", "timestamp overflow"],
    ["{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k}) == {}", "insert failed: key 1 already exists"],
  ])("%s", (text, message) => {
    const result = run(text);
    expect(result).toBeInstanceOf(CelError);
    expect((result as CelError).message).toContain(message);
  });
});

describe("is not compiled", () => {
  it.each([
    ["self =", "1:6: Syntax error: token recognition error at: '='"],
    [
      "1 +",
      "1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    [
      "* 1",
      "1:1: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ["1 2", "1:3: Syntax error: extraneous input '2' expecting <EOF>"],
    ["1 2 3", "1:3: Syntax error: mismatched input '2' expecting <EOF>"],
    ["{1}", "1:3: Syntax error: mismatched input '}' expecting ':'"],
    ["(1", "1:3: Syntax error: missing ')' at '<EOF>'"],
    ["a.", "1:3: Syntax error: no viable alternative at input '.'"],
    ["1 & 2", "1:3: Syntax error: token recognition error at: '& '"],
    ["for", "1:1: reserved identifier: for"],
    ["9223372036854775808", "1:1: invalid int literal"],
    ["has(1)", "1:5: invalid argument to has() macro"],
    ["[1].all(1, true)", "1:9: argument must be a simple name"],
    ["[1].map(x.y, 1)", "1:10: argument is not an identifier"],
    ["[1].all(x, x, true)", "1:12: duplicate variable name: x"],
    ["x", "1:1: undeclared reference to 'x' (in container '')"],
    ["f(1)", "1:2: undeclared reference to 'f' (in container '')"],
    ["1 + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ["'a'.size(1)", "1:9: found no matching overload for 'size' applied to 'string.(int)'"],
    ["1.a", "1:2: type 'int' does not support field selection"],
    ["(1).a", "1:4: type 'int' does not support field selection"],
    ["1 && true", "1:1: expected type 'bool' but found 'int'"],
    ["[1, 'a'] == []", "1:5: expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': ''} == {}", "1:15: expected type 'int' but found 'string'"],
    [
      "1.5.all(x, true)",
      "1:1: expression of type 'double' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["'a'.matches('[')", "1:13: invalid matches argument"],
    ["duration('x') == duration('1s')", "1:10: invalid duration argument"],
    ["timestamp('x') == timestamp(0)", "1:11: invalid timestamp argument"],
    [
      "'%d'.format(['a']) == ''",
      "error during formatting: decimal clause can only be used on integers, was given string",
    ],
    ["'%d'.format([1, 2]) == ''", "1:12: too many arguments supplied to string.format (expected 1, got 2)"],
  ])("%s", (text, message) => {
    const compiled = compileExpression(text, NOTHING);
    expect(compiled.ok ? "compiled" : compiled.message).toContain(message);
  });

  it("tells all that is wrong, in the order of the text, with the line and a mark below", () => {
    const compiled = compileExpression("é == x &&\n\ty", { variables: new Map([["é", STRING]]) });
    expect(compiled).toEqual({
      ok: false,
      message:
        "ERROR: <input>:1:1: Syntax error: token recognition error at: 'é'\n | é == x &&\n | \uff3e\n" +
        "ERROR: <input>:1:3: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | é == x &&\n | \uff0e.^",
    });
  });
});

describe("bounds", () => {
  it.each([
    ["nesting", "(".repeat(300) + "1" + ")".repeat(300)],
    ["long chains", Array.from({ length: 300 }, () => "1").join("+")],
    ["selections", `a${".b".repeat(300)}`],
  ])("refuses %s", (_what, text) => {
    const compiled = compileExpression(text, NOTHING);
    expect(compiled).toMatchObject({
      ok: false,
      message: "ERROR: <input>:-1:0: expression recursion limit exceeded: 250",
    });
  });

  it("takes long chains of && and ||, which become balanced trees", () => {
    expect(run(Array.from({ length: 3000 }, () => "true").join(" && "))).toBe(true);
  });

  it("refuses text and macros that would grow too large", () => {
    expect(compileExpression(" ".repeat(100_001), NOTHING)).toMatchObject({ ok: false });
    const nested = Array.from({ length: 60 }).reduce<string>((text) => `${text}.optMap(x, x)`, "optional.of(1)");
    expect(compileExpression(nested, NOTHING)).toMatchObject({ ok: false });
  });

  it("ends an evaluation at its limit", () => {
    const list = listOf(INT);
    const { run: evaluate } = program("l.all(x, l.all(y, x + y >= 0))", { variables: new Map([["l", list]]) });
    const values = new ValueList(Array.from({ length: 1000 }, (_, i) => BigInt(i)));
    const outcome = evaluate(() => values, 10_000);
    expect(outcome.exceeded).toBe(true);
    expect(outcome.result).toEqual(new CelError("operation cancelled: actual cost limit exceeded"));
    expect(outcome.cost).toBeLessThan(10_020);
  });

  it("collects in time proportional to the list", () => {
    const { run: evaluate } = program("l.map(x, x + 1).size() == 50000", { variables: new Map([["l", listOf(INT)]]) });
    const values = new ValueList(Array.from({ length: 50_000 }, (_, i) => BigInt(i)));
    expect(evaluate(() => values, 10_000_000).result).toBe(true);
  });
});

it("names its variables, and knows which names belong to loops", () => {
  const variables = new Map([
    ["a", mapOf(STRING, INT)],
    ["b", INT],
  ]);
  const { references } = program("a.all(b, b == 'x') && a.size() > 0", { variables });
  expect([...references]).toEqual(["a"]);
});

describe("a call that costs too much", () => {
  it.each([
    "sets.contains(a, a)",
    "sets.intersects(a, a)",
    "sets.equivalent(a, a)",
    "a.distinct() == a",
    "a.sort() == a",
    "[1].all(x, sets.contains(a, a))",
  ])("is not begun: %s", (text) => {
    let read = 0;
    const list: CelList = {
      kind: "list",
      length: 10_000,
      weight: 10_000,
      at: (index) => {
        read++;
        return BigInt(index);
      },
    };
    const { exceeded, cost } = program(text, { variables: new Map([["a", listOf(INT)]]) }).run(() => list, 1_000_000);
    expect(exceeded).toBe(true);
    expect(cost).toBeGreaterThan(1_000_000);
    // The first element tells whether comparing takes longer.
    expect(read).toBeLessThan(2);
  });
});

it.each([(x: string) => `[${x}, ${x}]`, (x: string) => `{'a': ${x}, 'b': ${x}}`])(
  "refuses to make values of shared parts that could never be counted",
  (twice) => {
    const doubled = Array.from({ length: 40 }, (_, i) => `.map(x${i}, ${twice(`x${i}`)})`).join("");
    const { result } = program(`[1]${doubled} == [1]${doubled}`).run(() => undefined, 1_000_000);
    expect(result).toEqual(TOO_HEAVY);
  },
);
