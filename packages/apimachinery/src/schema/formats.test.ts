import { expect, it } from "vitest";
import { isStringFormat, matchesFormat } from "./formats.js";

it.each<[format: string, good: readonly string[], bad: readonly string[]]>([
  ["date-time", ["2024-02-29T12:00:00Z", "2024-01-01t00:00:00.5+02:00"], ["2023-02-29T12:00:00Z", "2024-01-01", ""]],
  ["date", ["2024-02-29"], ["2024-2-1", "2024-13-01", "2024-04-31"]],
  ["duration", ["1h2m", "1.5s", "-3ms", "5 minutes", "2 days"], ["", "1", "h"]],
  [
    "uri",
    ["https://a/b?c", "/a", "mailto:a@b", "http://u:p@[::1]:80/", "pg://a:1,b:2/"],
    ["", "a/b", ":a", "http://a b/", "http://a:x/", "/%z"],
  ],
  ["email", ["a@b", "A B <a@b.c>", '"q r"@b', "a@[1.2.3.4]"], ["a", "@b", "a@b@c", "a@.b", "a@[1.2.3]", "A B"]],
  ["ipv4", ["1.2.3.4"], ["1.2.3", "::1"]],
  ["ipv6", ["::1", "1:2:3:4:5:6:7:8"], ["1.2.3.4", ":"]],
  ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33"]],
  ["mac", ["01:23:45:67:89:ab", "0123.4567.89ab"], ["01:23:45:67:89", "01-23:45-67-89-ab"]],
  ["uuid", ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"], ["123e4567", ""]],
  ["uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]],
  ["hostname", ["a.example.com", "localhost"], ["-a", "a_b.com", ""]],
  ["hexcolor", ["#fff", "a1B2c3"], ["#ff", "red"]],
  ["rgbcolor", ["rgb(0, 100, 255)"], ["rgb(256,0,0)", "rgb(0,0)"]],
  ["isbn10", ["0-306-40615-2"], ["0-306-40615-3"]],
  ["isbn13", ["978-0-306-40615-7"], ["978-0-306-40615-8"]],
  ["creditcard", ["4012 8888 8888 1881"], ["4012 8888 8888 1882", "1"]],
  ["ssn", ["111-22-3333", "111 22-3333"], ["111-2-3333", "111223333"]],
  ["byte", ["aGk=", "aGkh"], ["aGk", "%", ""]],
  ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f"]],
  ["k8s-short-name", ["a-b"], ["a.b", "A"]],
  ["k8s-long-name", ["a.b"], ["a_b"]],
  ["password", ["", "anything"], []],
])("%s", (format, good, bad) => {
  expect(good.filter((text) => matchesFormat(format, text) !== true)).toEqual([]);
  expect(bad.filter((text) => matchesFormat(format, text) !== false)).toEqual([]);
});

it("does not enforce what it does not know", () => {
  expect(matchesFormat("int-or-string", "x")).toBeUndefined();
  expect(isStringFormat("datetime")).toBe(true);
  expect(isStringFormat("semver")).toBe(false);
});
