module petstore.example/clients/go

go 1.19
