/**
 * Parts of the console on pages of their own, for `test/console/components.test.ts`: a form that others edit,
 * a refused form, a table, dialogs. Their server is this file. No part of the product.
 */
import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/error.ts";
import { ConflictNote } from "../forms/conflict-note.tsx";
import { Form, FormField } from "../forms/form.tsx";
import { useAppForm } from "../forms/use-app-form.ts";
import { useEdit } from "../forms/use-edit.ts";
import { parseSearch, writeSearch } from "../shell/search-text.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { TextInput } from "../ui/inputs/inputs.tsx";
import { PageLink } from "../ui/navigation.tsx";
import { useConfirm } from "../ui/overlays/confirm.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { answerForModel, ModelScene } from "./model-scene.tsx";
import "../style.css";

interface Model {
  readonly revision: number;
  readonly name: string;
  readonly note: string;
}

/** What the server has. */
let stored: Model = { revision: 1, name: "Aurora", note: "fast" };

const answer = (status: number, body: unknown) => Response.json(body, { status });

/** The routes of which the scenes ask. */
globalThis.fetch = async (url, init) => {
  if (/\/operator\/(models|catalog)/.test(String(url))) return answerForModel(init?.body?.toString());
  const { revision, ...values } = JSON.parse(String(init?.body)) as Model;
  if (revision !== stored.revision) return answer(409, { error: { code: "changed_meanwhile", message: "" } });
  stored = { ...values, revision: revision + 1 };
  return answer(200, stored);
};

function EditScene() {
  const [thing] = useState(stored);
  const [shown, setShown] = useState(stored);
  const edit = useEdit({
    thing,
    valuesOf: ({ name, note }: Model) => ({ name, note }),
    read: async () => stored,
    route: "patch /operator/accounts/{id}",
    sent: ({ name, note }, revision) => ({
      params: { id: "a" },
      // No field of the route, which the schema leaves to the server.
      body: { name, note, revision } as { readonly name: string; readonly revision: number },
    }),
    onDone: () => setShown(stored),
  });
  const others = (change: Partial<Model>) => () => {
    stored = { ...stored, ...change, revision: stored.revision + 1 };
    setShown(stored);
  };
  return (
    <main>
      <Button onClick={others({ name: "Borealis" })}>Another user renames it</Button>
      <Button onClick={others({ note: "slow" })}>Another user notes it</Button>
      <output>{`${shown.name}, ${shown.note}, revision ${shown.revision}`}</output>
      <ConflictNote edit={edit} nameOf={(field) => `Field ${field}`} />
      <Form form={edit.form} act="Save">
        <FormField form={edit.form} name="name" label="Name">
          {(bind) => <TextInput {...bind} />}
        </FormField>
        <FormField form={edit.form} name="note" label="Note">
          {(bind) => <TextInput {...bind} />}
        </FormField>
      </Form>
      <PageLink to="/elsewhere">Elsewhere</PageLink>
    </main>
  );
}

function RefusedScene() {
  const form = useAppForm({
    initial: { name: "", limit: "" },
    onSubmit: async ({ limit }) => {
      if (limit === "5") return;
      const fields = [
        { path: "limit.perMinute", message: "At least 1." },
        { path: "secret", message: "The secret is missing." },
      ];
      throw new ApiError({ code: "invalid_request", message: "Invalid.", status: 400, fields });
    },
    onDone: () => (document.title = "saved"),
  });
  return (
    <main>
      <Form form={form} act="Save" guard={false}>
        <FormField form={form} name="name" label="Name">
          {(bind) => <TextInput {...bind} />}
        </FormField>
        <FormField form={form} name="limit" label="Limit">
          {(bind) => <TextInput {...bind} />}
        </FormField>
      </Form>
    </main>
  );
}

const rows = [
  { id: "b", name: "Borealis", amount: 3 },
  { id: "a", name: "Aurora", amount: 20 },
  { id: "c", name: "Cirrus", amount: null },
];

function TableScene() {
  return (
    <main>
      <DataTable
        label="Models"
        rows={rows}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/elsewhere?of=${id}`}
        sortIn="sort"
        columns={[
          { id: "name", header: "Name", cell: ({ name }) => name, sortBy: ({ name }) => name },
          {
            id: "amount",
            header: "Amount",
            cell: ({ amount }) => amount ?? "–",
            sortBy: (row) => row.amount,
          },
          { id: "plain", header: "Plain", cell: () => "x" },
        ]}
      />
    </main>
  );
}

/** The server refuses the first deletion. */
let deletions = 0;

function DialogScene() {
  const [isOpen, setOpen] = useState(false);
  const { ask, question } = useConfirm();
  const close = () => setOpen(false);
  const onAct = async () => {
    deletions++;
    if (deletions === 1) throw new ApiError({ code: "conflict", message: "It is in use.", status: 409 });
  };
  return (
    <main>
      <Button onClick={() => setOpen(true)}>Open dialog</Button>
      <Button
        onClick={() =>
          ask({ title: "Delete Aurora?", text: "This can't be undone.", act: "Delete", danger: true, onAct })
        }
      >
        Delete model
      </Button>
      <Button>Behind</Button>
      <Dialog open={isOpen} onClose={close} title="Names" foot={<Button onClick={close}>Done</Button>}>
        <TextInput label="First name" value="" onChange={() => {}} />
      </Dialog>
      {question}
    </main>
  );
}

const rootRoute = createRootRoute({ component: Outlet });
const scenes = {
  "/edit": EditScene,
  "/model": ModelScene,
  "/refused": RefusedScene,
  "/table": TableScene,
  "/dialog": DialogScene,
  "/elsewhere": () => <h1>Elsewhere</h1>,
};

const routes = Object.entries(scenes).map(([path, component]) =>
  createRoute({ getParentRoute: () => rootRoute, path, component }),
);
const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  parseSearch,
  stringifySearch: writeSearch,
});

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no #root.");
createRoot(place).render(
  <StrictMode>
    <RouterProvider router={router as never} />
  </StrictMode>,
);
