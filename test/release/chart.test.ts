/**
 * The Helm chart: its values fit its schema, what it sets exists, and what it renders is what Kubernetes
 * reads. Rendering needs programs that `npm run release:check` installs.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Ajv } from "ajv";
import { parse, parseAllDocuments, stringify } from "yaml";
import { kubernetesVersion, programOf, schemaPattern, whyNot } from "../../tools/release/check/tools.ts";
import { userId } from "../../tools/release/image/root-files.ts";
import { root } from "../../tools/release/root.ts";
import { assertKnownSettings, stopSecondsOf } from "./settings-used.ts";

const chart = join(root, "packaging/helm/plaza");
const values = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Record<"secrets", object>;

test("its values fit its schema, which refuses what the chart sets itself", () => {
  const schema = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"));
  const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
  assert.ok(isValid(values), JSON.stringify(isValid.errors));
  for (const wrong of [{ replica: 2 }, { database: { kind: "mysql" } }, { settings: { PLAZA_PORT: "80" } }])
    assert.ok(!isValid({ ...values, ...wrong }), JSON.stringify(wrong));
});

test("the settings that it names exist", () => {
  const files = globSync("**/*.{yaml,tpl,json,txt}", { cwd: chart });
  assertKnownSettings(files.map((file) => readFileSync(join(chart, file), "utf8")).join("\n"));
});

const secrets = Object.fromEntries(
  Object.keys(values.secrets).map((name) => [name, { existingSecret: "plaza" }]),
);

/** Everything at once. */
const everything = {
  database: { kind: "postgres", existingSecret: "plaza-database" },
  secrets,
  image: {
    repository: "registry.example.com/plaza",
    digest: `sha256:${"0".repeat(64)}`,
    pullSecrets: [{ name: "r" }],
  },
  publicUrl: "https://plaza.example.com/v1",
  settings: { PLAZA_TRUSTED_PROXIES: "10.0.0.0/8", PLAZA_DATABASE_CONNECTIONS: 12 },
  extraEnv: [{ name: "OPENAI_API_KEY", valueFrom: { secretKeyRef: { name: "upstreams", key: "openai" } } }],
  extraEnvFrom: [{ secretRef: { name: "upstreams" } }],
  catalog: { existingConfigMap: "plaza-catalog" },
  host: "::",
  stop: { preStopSeconds: 4, lameDuckSeconds: 20, drainSeconds: 120 },
  service: { annotations: { a: "b" } },
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { a: "b" },
    hosts: ["plaza.example.com"],
    tls: [{ hosts: ["plaza.example.com"], secretName: "plaza-tls" }],
  },
  autoscaling: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  serviceAccount: { annotations: { a: "b" } },
  podAnnotations: { a: "b" },
  podLabels: { c: "d" },
  nodeSelector: { e: "f" },
  tolerations: [{ key: "g", operator: "Exists" }],
  affinity: { podAntiAffinity: {} },
  priorityClassName: "high",
};

suite("rendered", { skip: whyNot("helm", "kubeconform") }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "plaza-chart-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  function helm(...words: string[]) {
    const env = { PATH: process.env["PATH"], HOME: folder };
    return spawnSync(programOf("helm"), words, { env, encoding: "utf8" });
  }

  function render(given: object, version = kubernetesVersion) {
    const file = join(folder, "values.yaml");
    writeFileSync(file, stringify(given));
    return helm("template", "test", chart, "--kube-version", version, "--values", file);
  }

  /** The objects by kind, after kubeconform has checked them. */
  function objectsOf(given: object, version?: string) {
    const { status, stdout, stderr } = render(given, version);
    assert.equal(status, 0, stderr);
    const words = ["-strict", "-schema-location", schemaPattern, "-skip", "ServiceMonitor", "-summary"];
    const checked = spawnSync(programOf("kubeconform"), words, { input: stdout, encoding: "utf8" });
    assert.equal(checked.status, 0, `${checked.stdout}${checked.stderr}\n${stdout}`);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS());
    return new Map(objects.map((object) => [object.kind as string, object]));
  }

  test("helm's own checks find nothing", () => {
    const { status, stdout } = helm("lint", "--strict", chart);
    assert.equal(status, 0, stdout);
  });

  test("as it is: one pod with a volume, confined, that has time to stop", () => {
    const objects = objectsOf({});
    assert.deepEqual([...objects.keys()].sort(), ["Service", "ServiceAccount", "StatefulSet"]);
    const { replicas, template, volumeClaimTemplates } = objects.get("StatefulSet").spec;
    assert.equal(replicas, 1);
    assert.equal(volumeClaimTemplates[0].metadata.name, "data");
    assertPod(template.spec);
  });

  test("with PostgreSQL and everything else: pods that scale, and are replaced one by one", () => {
    const objects = objectsOf(everything);
    assert.deepEqual([...objects.keys()].sort(), [
      "Deployment",
      "HorizontalPodAutoscaler",
      "Ingress",
      "PodDisruptionBudget",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
    ]);
    const { replicas, template, strategy, selector } = objects.get("Deployment").spec;
    assert.equal(replicas, undefined);
    assert.deepEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    assertPod(template.spec);
    const variables = template.spec.containers[0].env.map(({ name }: Named) => name);
    assert.equal(new Set(variables).size, variables.length);
    for (const name of ["PLAZA_DATABASE", "PLAZA_SECRET_KEY", "PLAZA_TRUSTED_PROXIES", "OPENAI_API_KEY"])
      assert.ok(variables.includes(name), name);
    for (const [key, value] of Object.entries(selector.matchLabels))
      assert.equal(template.metadata.labels[key], value);
    assert.equal(
      objects.get("HorizontalPodAutoscaler").spec.scaleTargetRef.name,
      objects.get("Deployment").metadata.name,
    );
    assert.deepEqual(objects.get("PodDisruptionBudget").spec.selector, selector);
    assert.deepEqual(objects.get("Service").spec.selector, selector.matchLabels);
    const [endpoint] = objects.get("ServiceMonitor").spec.endpoints;
    assert.ok(objects.get("Service").spec.ports.some(({ name }: Named) => name === endpoint.port));
    assert.deepEqual(endpoint.authorization.credentials, { name: "plaza", key: "metrics-token" });
  });

  test("with PostgreSQL and no autoscaling: as many pods as given", () => {
    const { Deployment } = Object.fromEntries(objectsOf({ ...everything, autoscaling: {}, replicas: 3 }));
    assert.equal(Deployment.spec.replicas, 3);
  });

  test("older than Kubernetes 1.30 it has no sleep before the signal", () => {
    const { containers, terminationGracePeriodSeconds } = objectsOf({}, "1.29.0").get("StatefulSet").spec
      .template.spec;
    assert.deepEqual([containers[0].lifecycle, terminationGracePeriodSeconds], [undefined, 57]);
  });

  test("refuses values that do not go together", () => {
    const { database, ...rest } = everything;
    const cases: [object, RegExp][] = [
      [{ database: { kind: "postgres" } }, /the secret with the URL of PostgreSQL/],
      [{ database }, /all pods need the same key/],
      [rest, /autoscaling needs database.kind postgres/],
      [{ serviceMonitor: { enabled: true } }, /without a token/],
    ];
    for (const [given, reason] of cases) {
      const { status, stderr } = render(given);
      assert.notEqual(status, 0, JSON.stringify(given));
      assert.match(stderr, reason);
    }
  });
});

interface Named {
  readonly name: string;
  readonly value?: string;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number; readonly runAsNonRoot: boolean };
  readonly containers: readonly [
    {
      readonly env: readonly Named[];
      readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
      readonly securityContext: {
        readonly readOnlyRootFilesystem: boolean;
        readonly allowPrivilegeEscalation: boolean;
        readonly capabilities: object;
      };
      readonly startupProbe: Probe;
      readonly readinessProbe: Probe;
      readonly livenessProbe: Probe;
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly volumeMounts: readonly { readonly mountPath: string }[];
    },
  ];
}

/** What both kinds of database have. */
function assertPod(pod: Pod): void {
  const [container] = pod.containers;
  const given = container.env.filter(({ value }) => value !== undefined);
  const env = Object.fromEntries(given.map(({ name, value }) => [name, value as string]));
  const { seconds } = container.lifecycle.preStop.sleep;
  assert.ok(pod.terminationGracePeriodSeconds > seconds + stopSecondsOf(env));
  assert.deepEqual([pod.securityContext.runAsUser, pod.securityContext.runAsNonRoot], [userId, true]);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  assert.deepEqual(container.securityContext.capabilities, { drop: ["ALL"] });
  const probes = (["startupProbe", "readinessProbe", "livenessProbe"] as const).map(
    (name) => container[name].httpGet.path,
  );
  assert.deepEqual(probes, ["/readyz", "/readyz", "/healthz"]);
  const port = container.ports.find(({ name }) => name === "health")?.containerPort;
  assert.ok(env["PLAZA_HEALTH_LISTEN"]?.endsWith(`:${port}`));
  const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
  assert.ok(mounted.includes("/data") && mounted.includes("/tmp"), mounted.join(" "));
}
